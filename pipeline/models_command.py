"""``python -m pipeline models``: builds the graphs, the manifest and the model card."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from pipeline.evaluation.blocks import check_trainable
from pipeline.evaluation.evidence.document.write import write_evidence, write_into_manifest
from pipeline.evaluation.evidence.plantings import read_plantings
from pipeline.evaluation.evidence.predictions import compare_plantings
from pipeline.evaluation.held_out import evaluate, training_folds
from pipeline.evaluation.model_card.card import write_model_card
from pipeline.evaluation.observed.predictions import HELD_OUT_FILE, write_held_out
from pipeline.evaluation.scores import reported_scores
from pipeline.grid.arrow_file import Grid, read_grid
from pipeline.grid.data_files import GRID
from pipeline.intervals.fit import fit_intervals
from pipeline.intervals.graph import write_interval_graph
from pipeline.intervals.model import LEVEL
from pipeline.models.artefacts import read_artefacts
from pipeline.models.base import check_base, keep_method
from pipeline.models.basis import Knots
from pipeline.models.hazard import fit_methods, spanning_knots
from pipeline.models.manifest import interval_file, write_manifest
from pipeline.models.onnx_graph import write_onnx
from pipeline.outcomes.periods import (
    MAX_UNPLACED,
    METHODS,
    PERIOD_NAMES,
    is_too_many,
    match_points,
    period_counts,
    seen_alive,
    tree_periods,
    unplaced,
)
from pipeline.outcomes.simulation import Truth, simulated_outcomes, true_process
from pipeline.outcomes.species import species_codes
from pipeline.outcomes.table import OutcomesError, read_outcomes
from pipeline.outcomes.world import World
from pipeline.sources.manifest import PROJECT, SourceError, sha256_of

MODELS = PROJECT / "models"
DOCS = PROJECT / "docs"
MAPS = DOCS / "maps"
SEED = 20240607


@dataclass(frozen=True)
class Training:
    """An outcomes table, the grid point of each row [rows], its origin, and the true process if it was simulated."""

    outcomes: pd.DataFrame
    point: np.ndarray
    origin: dict
    truth: Truth | None


class OutputError(SourceError):
    """The output directory cannot be written to; the message says why."""


def run(outcomes_file: Path | None, version: str, output: Path, base_directory: Path) -> None:
    """Build models from a file of observed outcomes, or from simulated ones if `outcomes_file` is None.

    `version` is <major>_<minor>. A method that the file has no tree of is kept from the models of `base_directory`.
    Raises OutputError before anything is computed.
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
        build(grid, training, version, output, maps_of(output), base_directory)


def maps_of(output: Path) -> Path:
    """Return the directory of the card's plots: docs/maps for the shipped models, else the models' own."""
    return MAPS if output.resolve() == MODELS.resolve() else output / "maps"


def observed(grid: Grid, path: Path) -> Training:
    """Return the outcomes of a file."""
    outcomes, point = read_outcomes(path, grid)
    check_periods(path, outcomes)
    present = outcomes.groupby("planting_method")["species_code"].agg(set)
    absent = {method: sorted(set(species_codes()) - present[method]) for method in METHODS if method in present}
    origin = {"kind": "observed", "file": path.name, "sha256": sha256_of(path), "species_without_trees": absent}
    return Training(outcomes, point, origin, None)


def check_periods(path: Path, outcomes: pd.DataFrame) -> None:
    """Raise OutcomesError if too many deaths of a method may be of one period or of another."""
    years, dead = outcomes["years_observed"].to_numpy(), outcomes["alive"].to_numpy() == 0
    unclear, (_, died) = unplaced(years, seen_alive(outcomes)), tree_periods(years, ~dead)
    for method in METHODS:
        mine = (outcomes["planting_method"] == method).to_numpy()
        for period, name in enumerate(PERIOD_NAMES):
            if is_too_many(unclear[mine, period], died[mine, period] > 0):
                raise OutcomesError(
                    f"{path}: of more than {MAX_UNPLACED:.0%} of the deaths of {method} in {name} no visit says "
                    "whether they were in that period; if there was one, state it in the column years_alive; if not, "
                    "leave out all trees of the planting, living ones too"
                )


def simulated(grid: Grid) -> Training:
    """Return simulated outcomes on the grid."""
    truth = true_process(grid, World.central())
    outcomes = simulated_outcomes(grid, truth, SEED)
    point = match_points(grid, outcomes["latitude"].to_numpy(), outcomes["longitude"].to_numpy())
    return Training(outcomes, point, {"kind": "simulated", "seed": SEED}, truth)


def build(
    grid: Grid,
    training: Training,
    version: str,
    models_directory: Path,
    maps_directory: Path,
    base_directory: Path = MODELS,
) -> None:
    """Write the graphs, the manifest, the model card with its plots, and held-out predictions of observed outcomes."""
    planted = set(training.outcomes["planting_method"])
    kept = [method for method in METHODS if method not in planted]
    base = read_artefacts(base_directory) if kept else None
    for method in kept:
        check_base(base, method)
        print(f"No tree of the table is {method}: that model is kept from {base_directory}.")
    knots = spanning_knots(grid)
    trained = [method for method in METHODS if method in planted]
    counts = {method: period_counts(training.outcomes, training.point, method) for method in trained}
    check_trainable(counts, training_folds(grid, counts))
    models = fit_methods(grid, counts, knots, training.truth)
    for method, model in models.items():
        write_onnx(model, models_directory / f"{method}.onnx")
    evaluation = evaluate(grid, training.truth, counts, knots)
    interval_level = write_intervals(grid, training.truth, knots, models_directory)
    scores = reported_scores(evaluation.reported)
    manifest = write_manifest(grid, version, training.origin, counts, scores, interval_level, models_directory)
    for method in kept:
        manifest = keep_method(base, method, manifest, models_directory)
    comparisons = compare_plantings(grid, read_artefacts(models_directory), read_plantings())
    manifest = write_into_manifest(manifest, comparisons, models_directory)
    if models_directory.resolve() == MODELS.resolve():
        write_evidence(grid, manifest, comparisons, DOCS)
    if training.truth is None:
        held_out_file = models_directory / HELD_OUT_FILE
        write_held_out(training.outcomes, training.point, evaluation.held_out, evaluation.folds, held_out_file)
    card = models_directory / "model-card.md"
    write_model_card(
        grid, training.truth, counts, knots, models, evaluation, manifest, comparisons, card, maps_directory
    )


def write_intervals(grid: Grid, truth: Truth | None, knots: Knots, directory: Path) -> float | None:
    """Write the interval graphs and return their level; None, and no graphs, for observed outcomes."""
    if truth is None:
        return None
    for method, model in fit_intervals(grid, truth, knots).items():
        write_interval_graph(model, directory / interval_file(method))
    return LEVEL
