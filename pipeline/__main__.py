"""Command line of the offline pipeline: ``python -m pipeline --help``."""

import argparse
import os
import re
import sys
from pathlib import Path

from pipeline.sources.manifest import SourceError, Sources

# Several threads add up sums in an order that differs between runs and machines; one thread gives the same bytes.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def main(arguments=None):
    """Parse and runs one command and returns the exit code of the process."""
    options = _parser().parse_args(arguments)
    # The numerical libraries read these when they are imported, which only the commands below do.
    os.environ.update(_ONE_THREAD)
    try:
        options.run(options)
    except SourceError as error:
        print(f"pipeline: {error}", file=sys.stderr)
        return 1
    return 0


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message):
        self.exit(2, f"pipeline: {message}; {self.prog} --help shows the options\n")


def _model_version(text):
    if not re.fullmatch(r"\d+_\d+", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not MAJOR_MINOR, such as 1_2")
    return text


def _parser():
    parser = _Parser(
        prog="python -m pipeline",
        description="Builds the grid (data/) and the models (models/) of nurselog from public sources.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    sources = argparse.ArgumentParser(add_help=False)
    sources.add_argument(
        "--sources",
        metavar="DIR",
        type=Path,
        required=True,
        help="directory of the source files, laid out as pipeline/sources/sources.json says",
    )
    sources_and_elevation = argparse.ArgumentParser(add_help=False, parents=[sources])
    sources_and_elevation.add_argument(
        "--elevation",
        metavar="FILE",
        type=Path,
        help="raster of metres above sea level, in any format of GDAL, to use in place of the terrain tiles",
    )
    models = argparse.ArgumentParser(add_help=False)
    models.add_argument(
        "--model-version",
        metavar="MAJOR_MINOR",
        type=_model_version,
        required=True,
        help="version of the models; raise it whenever they are trained again",
    )
    models.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        required=True,
        help="directory for the models and their card with its plots; models replaces those that are shipped",
    )
    models.add_argument(
        "--outcomes",
        metavar="FILE",
        type=Path,
        help="CSV or Parquet table of observed outcomes to train on in place of the simulation",
    )

    def command(name, run, summary, parents):
        commands.add_parser(name, help=summary, description=summary, parents=parents).set_defaults(run=run)

    command(
        "fetch",
        _fetch,
        "download the sources and check them; the only command that needs a network",
        [sources],
    )
    command(
        "grid",
        _grid,
        "build data/ - grid, regions, species, checksums - and maps of the grid",
        [sources_and_elevation],
    )
    command("models", _models, "train models on the grid in data/", [models])
    command("all", _all, "run grid, then models", [sources_and_elevation, models])
    return parser


# Each command imports what it runs, so that fetching needs no numerical library.
def _fetch(options):
    from pipeline.sources.fetch import fetch

    fetch(Sources(options.sources))


def _grid(options):
    from pipeline.grid_command import run

    run(Sources(options.sources), options.elevation)


def _models(options):
    from pipeline.models_command import run

    run(options.outcomes, options.model_version, options.output)


def _all(options):
    _grid(options)
    _models(options)


if __name__ == "__main__":
    sys.exit(main())
