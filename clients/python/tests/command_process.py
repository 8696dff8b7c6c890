"""Runs the command without the settings of this process, mostly as a process of its own."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from service_process import ServiceProcess
from typer.testing import CliRunner, Result

from nurselog._commands.app import app

COMMAND = str(Path(sys.executable).with_name("nurselog"))


def environment_of(service: ServiceProcess, **changes: str) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "NURSELOG_URL": service.url, "NURSELOG_API_KEY": service.key, **changes}


def run(service: ServiceProcess, *arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    environment = environment_of(service, **changes)
    return subprocess.run([COMMAND, *arguments], env=environment, capture_output=True, encoding="utf-8")


def run_here(service: ServiceProcess, *arguments: str, **changes: str) -> Result:
    """Runs the command in this process, which is faster."""
    return CliRunner().invoke(app, arguments, env=environment_of(service, **changes), catch_exceptions=False)


@dataclass(frozen=True)
class Predict:
    """Runs `nurselog predict` in this process, with files of a folder; "-" is a pipe."""

    service: ServiceProcess
    folder: Path

    def __call__(self, source: str | Path, output: str, *options: str, **changes: str) -> Result:
        written = output if output == "-" else str(self.folder / output)
        return run_here(self.service, "predict", str(self.folder / source), "-o", written, *options, **changes)


def in_terminal(
    service: ServiceProcess, *arguments: str, stream: Literal["stdout", "stderr"] = "stdout", **changes: str
) -> bytes:
    """The output of the command with a terminal as one of its streams."""
    terminal, end = pty.openpty()
    environment = environment_of(service, TERM="xterm-256color", **changes)
    stdout, stderr = (end, subprocess.DEVNULL) if stream == "stdout" else (subprocess.DEVNULL, end)
    process = subprocess.Popen([COMMAND, *arguments], env=environment, stdout=stdout, stderr=stderr)
    os.close(end)
    written = b""
    while chunk := _read(terminal):
        written += chunk
    process.wait()
    os.close(terminal)
    return written


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""
