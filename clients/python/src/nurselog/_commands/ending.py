"""How a command ends: what it prints, and its exit code."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn, TypeVar

import typer
from rich.console import Console, RenderableType

from nurselog._calls.exchange import is_temporary
from nurselog._client import Client
from nurselog.errors import ConfigurationError, InvalidRequestError, NurselogError, printable

FAILURE, USAGE, TEMPORARY, FAILED_ROWS, INTERRUPTED, TERMINATED = 1, 2, 3, 4, 130, 143
"""Exit codes; TEMPORARY is for what may succeed later."""

RETRIES = 2
"""Fewer than the default of the client, because a person waits."""

_Answer = TypeVar("_Answer")


def show(ask: Callable[[Client], _Answer], render: Callable[[_Answer], RenderableType], as_json: bool) -> None:
    """Prints the answer; ends the command with an exit code if there is none."""
    try:
        with Client(retries=RETRIES) as client:
            answer = ask(client)
    except NurselogError as error:
        fail(error)
    try:
        if as_json:
            typer.echo(json.dumps(answer, indent=2))
        else:
            Console(markup=False, highlight=False, emoji=False).print(render(answer))
    except BrokenPipeError:
        # The reader of the pipe has ended.
        discard_output()
        raise typer.Exit(FAILURE) from None
    except OSError as error:
        discard_output()
        complain(f"The answer cannot be written: {error}")
        raise typer.Exit(FAILURE) from None


def discard_output() -> None:
    """Redirects standard output to nowhere, because Python would fail again when it flushes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(message: str) -> None:
    """Writes a message to standard error."""
    report(printable(f"nurselog: {message}"))


def report(shown: RenderableType) -> None:
    """Writes a text or a table to standard error. What it cannot take is lost, and does not fail the command."""
    with suppress(OSError):
        ErrorConsole().print(shown, soft_wrap=isinstance(shown, str))


class ErrorConsole(Console):
    """Standard error, in which nothing is markup."""

    def __init__(self) -> None:
        super().__init__(stderr=True, markup=False, highlight=False, emoji=False)

    def on_broken_pipe(self) -> None:
        """Goes on; rich would end the command and discard standard output."""


def fail(error: NurselogError) -> NoReturn:
    """Ends the command with the message and the exit code of an error."""
    complain(str(error))
    # Without a status the client refused it before anything was sent.
    is_usage = isinstance(error, InvalidRequestError) and error.status is None
    if isinstance(error, ConfigurationError) or is_usage:
        raise typer.Exit(USAGE)
    raise typer.Exit(TEMPORARY if is_temporary(error) else FAILURE)
