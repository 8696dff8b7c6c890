"""Command line of the offline pipeline: ``python -m pipeline --help``."""

import argparse
import os
import re
import sys
from pathlib import Path

from pipeline.sources.manifest import PROJECT, SourceError, Sources

MODELS = PROJECT / "models"

# With several threads the order of sums differs between runs and machines; with one thread the bytes are the same.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def main(arguments=None):
    """Parse and run one command, and return the exit code of the process."""
    options = _parser().parse_args(arguments)
    # The numerical libraries read these when they are imported, which only the commands below do.
    os.environ.update(_ONE_THREAD)
    try:
        options.run(options)
    except (SourceError, OSError) as error:
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


def _whole_number(text):
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number, 0 or more")
    return int(text)


def _models_option(name, summary):
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument(name, metavar="DIR", type=Path, default=MODELS, help=f"{summary}; default: the shipped models")
    return parser


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
    written = argparse.ArgumentParser(add_help=False)
    written.add_argument(
        "--model-version",
        metavar="MAJOR_MINOR",
        type=_model_version,
        required=True,
        help="version of the models; raise it whenever they are trained again",
    )
    written.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        required=True,
        help="directory for the models and their card with its plots; models replaces those that are shipped",
    )
    base = _models_option("--base", "models that a method without a tree in the table is kept from")
    evaluated = _models_option("--models", "directory of models")
    models = argparse.ArgumentParser(add_help=False, parents=[written, base])
    models.add_argument(
        "--outcomes",
        metavar="FILE",
        type=Path,
        help="CSV or Parquet table of observed outcomes to train on in place of the simulation",
    )

    def command(name, run, summary, parents):
        added = commands.add_parser(name, help=summary, description=summary, parents=parents)
        added.set_defaults(run=run)
        return added

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
    command("relief", _relief, "build the shaded relief of the planner's map", [sources_and_elevation])
    command("models", _models, "train models on the grid in data/", [models])
    evaluate = command("evaluate", _evaluate, "score models on a table of outcomes, without training", [evaluated])
    evaluate.add_argument("--outcomes", metavar="FILE", type=Path, required=True, help="CSV or Parquet table of trees")
    evaluate.add_argument(
        "--output", metavar="DIR", type=Path, default=Path("evaluation"), help="directory to write; default: evaluation"
    )
    evaluate.add_argument(
        "--replicates",
        metavar="N",
        type=_whole_number,
        default=200,
        help="bootstrap samples for the intervals, 0 for none; default: 200",
    )
    recalibrate = command("recalibrate", _recalibrate, "write models recalibrated by evaluate", [written, evaluated])
    recalibrate.add_argument(
        "--recalibration", metavar="FILE", type=Path, required=True, help="recalibration.json that evaluate wrote"
    )
    evidence = command("evidence", _evidence, "score models on the plantings of the project", [evaluated])
    evidence.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        help="directory to write the report to, without changing the manifest of the models",
    )
    evidence.add_argument(
        "--sources",
        metavar="DIR",
        type=Path,
        help="source files, to measure the climate of places outside the grid again",
    )
    condition = command("condition", _condition, "condition the simulation on the plantings; some minutes", [])
    condition.add_argument("--steps", type=_whole_number, default=10000, help="of each of two chains; default: 10000")
    condition.add_argument(
        "--held-out-steps", type=_whole_number, default=2000, help="of the chain without each source; default: 2000"
    )
    example = command("example", _example, "write a table of outcomes: redcedars planted around Puget Sound", [])
    example.add_argument("--output", metavar="FILE", type=Path, required=True, help="CSV file to write")
    command("all", _all, "run grid, then models", [sources_and_elevation, models])
    return parser


# Each command imports what it runs, so that fetching needs no numerical library.
def _fetch(options):
    from pipeline.sources.fetch import fetch

    fetch(Sources(options.sources))


def _grid(options):
    from pipeline.grid_command import run

    run(Sources(options.sources), options.elevation)


def _relief(options):
    from pipeline.relief_command import run

    run(Sources(options.sources), options.elevation)


def _models(options):
    from pipeline.models_command import run

    run(options.outcomes, options.model_version, options.output, options.base)


def _evaluate(options):
    from pipeline.evaluate_command import run

    run(options.outcomes, options.models, options.output, options.replicates)


def _recalibrate(options):
    from pipeline.recalibrate_command import run

    run(options.recalibration, options.models, options.model_version, options.output)


def _evidence(options):
    from pipeline.evidence_command import run

    run(options.models, options.output, options.sources)


def _condition(options):
    from pipeline.condition_command import run

    run(options.steps, options.held_out_steps)


def _example(options):
    from pipeline.example_command import run

    run(options.output)


def _all(options):
    _grid(options)
    _models(options)


if __name__ == "__main__":
    sys.exit(main())
