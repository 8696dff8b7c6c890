"""models/model-card.md: what the models are, their training data, their scores and their limits."""

import os
from collections.abc import Sequence
from pathlib import Path

from pipeline.evaluation.coverage import answered_intervals, coverage, sample_of_sites
from pipeline.evaluation.ebm import compare_with_ebm
from pipeline.evaluation.evidence.document.card import evidence_section
from pipeline.evaluation.evidence.predictions import Comparison
from pipeline.evaluation.graph import GraphModel, IntervalGraph
from pipeline.evaluation.held_out import FOLD_SEED, Evaluation
from pipeline.evaluation.model_card.inputs import inputs_section
from pipeline.evaluation.model_card.intervals import intervals_section
from pipeline.evaluation.model_card.limits import limits_section
from pipeline.evaluation.model_card.maps import map_gap, map_survival
from pipeline.evaluation.model_card.near_places import near_places_section
from pipeline.evaluation.model_card.plausibility import plausibility_section
from pipeline.evaluation.model_card.plots import plot_calibration, plot_effects
from pipeline.evaluation.model_card.text import (
    data_section,
    ebm_section,
    overall_section,
    recovery_section,
    species_section,
    what_section,
)
from pipeline.evaluation.recovery import recovery
from pipeline.evaluation.scores import species_scores
from pipeline.grid.arrow_file import Grid
from pipeline.grid.data_files import REGIONS
from pipeline.grid.regions import read_regions
from pipeline.models.basis import Knots
from pipeline.models.hazard import HazardModel, fit_methods
from pipeline.models.manifest import interval_file
from pipeline.outcomes.periods import METHODS, PeriodCounts
from pipeline.outcomes.simulation import Truth


def write_model_card(
    grid: Grid,
    truth: Truth | None,
    counts: dict[str, PeriodCounts],
    knots: Knots,
    models: dict[str, HazardModel],
    evaluation: Evaluation,
    manifest: dict,
    comparisons: Sequence[Comparison],
    card: Path,
    maps: Path,
) -> None:
    """Draw the plots and write the card; `truth` is None for observed outcomes, `comparisons` are real plantings.

    The graphs are read from the directory of the card, and the plausibility checks run on them.
    """
    folds, held_out, best = evaluation.folds, evaluation.held_out, evaluation.best
    plot_calibration(held_out, truth is not None, maps / "calibration.png")
    training = [feature["training"] for feature in manifest["features"] if "training" in feature]
    plot_effects(grid, models, truth, training, maps / "effects.png")
    graphs = {method: GraphModel(card.parent / f"{method}.onnx") for method in METHODS}
    regions = read_regions(REGIONS)
    map_survival(grid, regions, graphs, maps / "survival.png")
    map_gap(grid, regions, graphs, maps / "method-gap.png")

    def image(name: str) -> str:
        return Path(os.path.relpath(maps / name, card.parent)).as_posix()

    sections = [
        what_section(manifest),
        data_section(counts, simulated=truth is not None),
        overall_section(evaluation.native_scores, evaluation.scores, image("calibration.png")),
    ]
    if truth:
        seen, unseen = (counts[METHODS[0]].of_points(chosen) for chosen in (folds > 0, folds == 0))
        reference = fit_methods(grid, {METHODS[0]: seen}, knots, truth)[METHODS[0]]
        known = truth.survival(METHODS[0], unseen.species, unseen.point)[:, 0]
        sections.append(ebm_section(compare_with_ebm(grid, seen, unseen, reference, known, FOLD_SEED)))
        by_method = {method: recovery(grid, truth, models[method], method) for method in METHODS}
        sections.append(recovery_section(by_method, image("effects.png")))
    sections += [
        evidence_section(comparisons, manifest),
        inputs_section(grid, graphs, simulated=truth is not None),
        near_places_section(grid, graphs),
        plausibility_section(grid, graphs, image("survival.png"), image("method-gap.png"), simulated=truth is not None),
    ]
    if truth:
        interval_graphs = {method: IntervalGraph(card.parent / interval_file(method)) for method in METHODS}
        intervals = answered_intervals(grid, graphs, interval_graphs, sample_of_sites(grid))
        sections.append(intervals_section(grid, intervals, coverage(grid, truth, intervals)))
    for method in counts:
        sections.append(species_section(method, species_scores(held_out[method], best and best[method])))
    sections.append(limits_section(simulated=truth is not None))
    card.write_text("\n\n".join(sections) + "\n", encoding="utf-8")
