"""Runs the command as a process of its own, without the settings of this one."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

from service_process import ServiceProcess

COMMAND = str(Path(sys.executable).with_name("nurselog"))


def environment_of(service: ServiceProcess, **changes: str) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "NURSELOG_URL": service.url, "NURSELOG_API_KEY": service.key, **changes}


def run(service: ServiceProcess, *arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    environment = environment_of(service, **changes)
    return subprocess.run([COMMAND, *arguments], env=environment, capture_output=True, encoding="utf-8")


def in_terminal(service: ServiceProcess, *arguments: str, **changes: str) -> bytes:
    """What the command writes to a terminal."""
    terminal, end = pty.openpty()
    environment = environment_of(service, TERM="xterm-256color", **changes)
    process = subprocess.Popen([COMMAND, *arguments], env=environment, stdout=end)
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
