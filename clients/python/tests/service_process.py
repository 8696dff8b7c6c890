"""Starts the service of this checkout on a free port, with a store that is removed again."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parents[3]


def build() -> None:
    """Compiles the service."""
    subprocess.run(["npm", "run", "--silent", "build"], cwd=ROOT, check=True)


def copy_of_models(folder: Path) -> Path:
    """A copy of the models that a test may change."""
    return Path(shutil.copytree(ROOT / "models", folder))


def raise_version(folder: Path) -> tuple[str, str]:
    """Gives the models of a folder version 99.0 of their codename, and returns the former version and this one."""
    manifest = folder / "manifest.json"
    text = manifest.read_text()
    [(former, codename)] = re.findall(r'"version": "(pnw_v\d+_\d+_([^"]+))"', text)
    version = f"pnw_v99_0_{codename}"
    manifest.write_text(text.replace(former, version))
    return former, version


class ServiceProcess:
    """A running service: `url`, and `key` of the tier without limits."""

    port = 0

    def __init__(self, models: Path = ROOT / "models") -> None:
        """Starts nothing yet."""
        self._models = models

    def __enter__(self) -> ServiceProcess:
        self._folder = tempfile.TemporaryDirectory()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("NURSELOG_")}
        self._environment = {
            **kept,
            "PORT": "0",
            "OPS_PORT": "0",
            "WORKERS": "1",
            "LOG_LEVEL": "error",
            "REQUEST_TIMEOUT_MS": "60000",  # nothing is late, however busy the machine
            "MODEL_DIR": str(self._models),
            "DATABASE_URL": f"sqlite:{self._folder.name}/keys.db",
        }
        output = self._start(until="curl")
        [self.url] = re.findall(r"nurselog is ready on (http://\S+)", output)
        [self.key] = re.findall(r"^  (nurse_live_[0-9a-f]{32})$", output, re.MULTILINE)
        self.port = httpx.URL(self.url).port or 80
        return self

    def kill(self) -> None:
        """Ends the process as a crash would."""
        self._process.kill()
        self._process.wait()

    def start(self) -> None:
        """Starts it again on the same port, with the same store."""
        self._environment |= {"PORT": str(self.port), "LOG_LEVEL": "info"}
        self._start(until='"msg":"ready"')

    def _start(self, until: str) -> str:
        """Starts the process and returns its output up to a line."""
        self._process = subprocess.Popen(
            ["node", "dist/main.js"], cwd=ROOT, env=self._environment, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        output = ""
        while until not in output:
            line = self._process.stdout.readline()
            assert line, f"the service ended: {output}"
            output += line
        return output

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
        self._folder.cleanup()

    def keys(self, *arguments: str) -> Any:
        """Runs the command that manages keys."""
        command = ["node", "dist/cli/keys.js", *arguments, "--json"]
        return json.loads(
            subprocess.run(command, cwd=ROOT, env=self._environment, check=True, stdout=subprocess.PIPE).stdout
        )

    def issue(self, tier: str) -> str:
        """A new key of a tier."""
        return str(self.keys("issue", "--tier", tier, "--owner", "client tests")["key"])

    def nearly_used_key(self, left: int) -> str:
        """A new key of tier spore with the given number of its 100 requests left."""
        key = self.issue("spore")
        with httpx.Client(base_url=self.url, headers={"X-API-Key": key}, timeout=60) as client:
            for _ in range(100 - left):
                client.get("/v1/species").raise_for_status()
        return key

    def ask(self, path: str, body: object = None) -> Any:
        """The answer to a request that is sent without the client."""
        method = "GET" if body is None else "POST"
        response = httpx.request(method, self.url + path, json=body, headers={"X-API-Key": self.key}, timeout=60)
        return response.raise_for_status().json()
