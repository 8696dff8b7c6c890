"""The command `nurselog`."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from contextlib import suppress
from typing import NoReturn

import typer

from nurselog._commands import file_commands, site_commands
from nurselog._commands.ending import FAILURE, TERMINATED, complain

_EPILOG = (
    "NURSELOG_URL and NURSELOG_API_KEY name the service and your key. "
    "Exit codes: 1 refused, 2 wrong usage or settings, 3 not reachable, overloaded or out of quota, "
    "4 a file was written in which no row or unit was answered, or with --strict any row was not."
)

# Local variables, among them the key, would be printed with an unexpected error.
app = typer.Typer(
    help="Predict the survival of planted trees with a nurselog service.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)

# Otherwise a western longitude, such as -122.03, would be an unknown option.
_WITH_COORDINATES = {"ignore_unknown_options": True}

app.command()(site_commands.species)
app.command()(site_commands.usage)
app.command()(site_commands.model)
app.command(context_settings=_WITH_COORDINATES)(site_commands.site)
app.command(context_settings=_WITH_COORDINATES)(site_commands.rank)
app.command()(file_commands.predict)
app.command()(file_commands.plan)
app.command()(file_commands.surface)


def main() -> None:
    """Runs the command. SIGTERM, as Slurm and Kubernetes send it, ends it as Ctrl-C does, with another exit code."""
    signal.signal(signal.SIGTERM, _terminate)
    # FutureWarning is for programmers. Other warnings are shown without their line of code.
    warnings.simplefilter("ignore", FutureWarning)
    warnings.showwarning = lambda message, *_, **__: complain(f"Warning: {message}")
    try:
        app()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except OSError as error:  # of --help, since commands report their own
        complain(f"Output cannot be written: {error}")
        code = FAILURE
    # A thread of pyarrow may still read standard input, and would abort a process that Python shuts down.
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with suppress(OSError):  # errors of standard output were reported; those of standard error cannot be
            stream.flush()
    os._exit(code)


def _terminate(*_: object) -> NoReturn:
    raise SystemExit(TERMINATED)
