"""``python -m pipeline models``: builds the graphs, the manifest and the model card in ``models/``."""

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
from pipeline.sources.manifest import PROJECT, sha256_of

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


def run(outcomes_file):
    """Build models/ from a file of observed outcomes, or from simulated ones if `outcomes_file` is None."""
    grid = read_grid(GRID)
    # One thread: sums split over threads may differ in their last bits between machines.
    with threadpool_limits(limits=1):
        training = observed(grid, outcomes_file) if outcomes_file else simulated(grid)
        build(grid, training, MODELS, MAPS)


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


def build(grid: Grid, training: Training, models_directory: Path, maps_directory: Path) -> None:
    """Write the graphs, the manifest, and the model card with its plots."""
    knots = Knots.spanning(grid.features(FEATURE_NAMES), np.array([feature.logarithmic for feature in FEATURES]))
    counts = {method: period_counts(training.outcomes, training.point, method) for method in METHODS}
    models = fit_methods(grid, counts, knots)
    models_directory.mkdir(parents=True, exist_ok=True)
    for method, model in models.items():
        write_onnx(model, models_directory / f"{method}.onnx")
    evaluation = evaluate(grid, training.truth, counts, knots)
    write_manifest(grid, training.origin, counts, reported_scores(evaluation.scores), models_directory)
    card = models_directory / "model-card.md"
    write_model_card(grid, training.truth, counts, knots, models, evaluation, card, maps_directory)
