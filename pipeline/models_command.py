"""``python -m pipeline models``: builds the graphs, the manifest and the model card."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from pipeline.evaluation.held_out import evaluate
from pipeline.evaluation.model_card.card import write_model_card
from pipeline.evaluation.scores import reported_scores
from pipeline.grid.arrow_file import Grid, read_grid
from pipeline.grid.data_files import GRID
from pipeline.models.basis import Knots
from pipeline.models.features import FEATURE_NAMES, FEATURES
from pipeline.models.hazard import fit_methods
from pipeline.models.manifest import write_manifest
from pipeline.models.onnx_graph import write_onnx
from pipeline.outcomes.periods import METHODS, match_points, period_counts
from pipeline.outcomes.simulation import Truth, simulated_outcomes, true_process
from pipeline.outcomes.table import read_outcomes
from pipeline.sources.manifest import PROJECT, SourceError, sha256_of

MODELS = PROJECT / "models"
MAPS = PROJECT / "docs" / "maps"
SEED = 12


@dataclass(frozen=True)
class Training:
    """An outcomes table, the grid point of each row [rows], its origin, and the true process if it was simulated."""

    outcomes: pd.DataFrame
    point: np.ndarray
    origin: dict
    truth: Truth | None


class OutputError(SourceError):
    """The output directory cannot be written to; the message says why."""


def run(outcomes_file: Path | None, version: str, output: Path) -> None:
    """Build models from a file of observed outcomes, or from simulated ones if `outcomes_file` is None.

    `version` is <major>_<minor>. Raises OutputError before anything is computed.
    """
    for directory in (output, maps_of(output)):
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"--output: {directory} cannot be made: {error.strerror}") from error
    grid = read_grid(GRID)
    # One thread: sums split over threads may differ in their last bits between machines.
    with threadpool_limits(limits=1):
        training = observed(grid, outcomes_file) if outcomes_file else simulated(grid)
        build(grid, training, version, output, maps_of(output))


def maps_of(output: Path) -> Path:
    """Return the directory of the card's plots: docs/maps for the shipped models, else beside the others."""
    return MAPS if output.resolve() == MODELS.resolve() else output / "maps"


def observed(grid: Grid, path: Path) -> Training:
    """Return the outcomes of a file."""
    outcomes, point = read_outcomes(path, grid)
    return Training(outcomes, point, {"kind": "observed", "file": path.name, "sha256": sha256_of(path)}, None)


def simulated(grid: Grid) -> Training:
    """Return simulated outcomes on the grid."""
    truth = true_process(grid)
    outcomes = simulated_outcomes(grid, truth, SEED)
    point = match_points(grid, outcomes["latitude"].to_numpy(), outcomes["longitude"].to_numpy())
    return Training(outcomes, point, {"kind": "simulated", "seed": SEED}, truth)


def build(grid: Grid, training: Training, version: str, models_directory: Path, maps_directory: Path) -> None:
    """Write the graphs, the manifest, and the model card with its plots."""
    knots = Knots.spanning(grid.features(FEATURE_NAMES), np.array([feature.logarithmic for feature in FEATURES]))
    counts = {method: period_counts(training.outcomes, training.point, method) for method in METHODS}
    models = fit_methods(grid, counts, knots)
    for method, model in models.items():
        write_onnx(model, models_directory / f"{method}.onnx")
    evaluation = evaluate(grid, training.truth, counts, knots)
    scores = reported_scores(evaluation.scores)
    manifest = write_manifest(grid, version, training.origin, counts, scores, models_directory)
    card = models_directory / "model-card.md"
    write_model_card(grid, training.truth, counts, knots, models, evaluation, manifest, card, maps_directory)
