"""The coverage of the committed interval graphs, and the measure itself."""

import json

import numpy as np
import pytest

from pipeline.evaluation import coverage as measure
from pipeline.evaluation.coverage import (
    ANSWERS,
    Intervals,
    answered_intervals,
    coverage,
    sample_of_sites,
    widths,
)
from pipeline.evaluation.graph import GraphModel, IntervalGraph
from pipeline.evaluation.model_card.intervals import AIMED_GROUPS, COVERAGE_RANGE
from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.models.input_errors import standard_errors
from pipeline.models.manifest import interval_file
from pipeline.models_command import MODELS
from pipeline.outcomes.periods import HORIZONS, METHODS
from pipeline.outcomes.simulation import true_process
from pipeline.outcomes.species import species_codes
from pipeline.outcomes.world import World


@pytest.fixture(scope="module")
def grid():
    return read_grid(GRID)


@pytest.fixture(scope="module")
def truth(grid):
    return true_process(grid, World.central())


@pytest.fixture(scope="module")
def shipped(grid):
    manifest = json.loads((MODELS / "manifest.json").read_text(encoding="utf-8"))
    if not manifest.get("interval_level"):
        pytest.skip("the committed models have no interval graphs")
    models = {method: GraphModel(MODELS / f"{method}.onnx") for method in METHODS}
    graphs = {method: IntervalGraph(MODELS / interval_file(method)) for method in METHODS}
    return answered_intervals(grid, models, graphs, sample_of_sites(grid))


def test_shipped_intervals_hold_76_to_84_percent_of_the_true_survival_of_other_worlds(grid, truth, shipped):
    results = {(result.group, result.answer): result.inside for result in coverage(grid, truth, shipped)}
    low, high = COVERAGE_RANGE
    for group in AIMED_GROUPS:
        for answer in ANSWERS:
            assert low <= results[group, answer] <= high, f"{answer}, {group}"


def test_shipped_intervals_are_widest_on_the_logit_scale_for_drone_seeding_on_dry_sites(grid, shipped):
    of_places = widths(grid, shipped)
    logits = {place: {method: width.logit for method, width in of.items()} for place, of in of_places.items()}
    assert logits["dry"]["drone_seeded"] == max(max(of.values()) for of in logits.values())
    assert logits["dry"]["drone_seeded"] > 1.3 * logits["moist"]["manual"]
    assert logits["moist"]["manual"] < logits["dry"]["manual"]


def test_widths_of_intervals_are_those_of_their_ends(grid):
    points = sample_of_sites(grid)
    shape = (len(species_codes()), len(points), len(HORIZONS))
    ends = np.stack([np.full(shape, 0.5), np.full(shape, 0.75)])
    ends[1, :, :, -1] = 0.8
    for of in widths(grid, Intervals(points, dict.fromkeys(ANSWERS, ends))).values():
        for width in of.values():
            assert width.logit == pytest.approx(np.log(4))
            assert width.survival == pytest.approx(0.3)
            assert width.first_year == pytest.approx((0.25, 0.25))


@pytest.mark.parametrize(("ends", "inside"), [((-1.0, 1.0), 1.0), ((1.5, 2.0), 0.0)])
def test_the_widest_interval_contains_all_truths_and_an_impossible_one_none(grid, truth, monkeypatch, ends, inside):
    monkeypatch.setattr(measure, "WORLDS", 2)
    points = sample_of_sites(grid)[:50]
    shape = (len(species_codes()), len(points), len(HORIZONS))
    intervals = Intervals(points, {answer: np.stack([np.full(shape, end) for end in ends]) for answer in ANSWERS})
    results = coverage(grid, truth, intervals)
    assert {result.inside for result in results} == {inside}
    assert all(result.inside + result.below + result.above == pytest.approx(1) for result in results)


def test_without_input_errors_the_true_environment_is_that_of_the_grid(grid, truth, monkeypatch):
    monkeypatch.setattr(measure, "standard_errors", lambda grid, points: np.zeros_like(standard_errors(grid, points)))
    points = sample_of_sites(grid)
    moved = measure._true_environment(grid, truth.environment, points, np.random.default_rng(1))
    exact = truth.environment.at(points)
    for name in exact.axes:
        assert moved.axes[name] == pytest.approx(exact.axes[name])
        assert moved.scores[name] == pytest.approx(exact.scores[name])


def test_scores_of_the_true_environment_are_those_of_its_values(grid, truth):
    points = sample_of_sites(grid)
    moved = measure._true_environment(grid, truth.environment, points, np.random.default_rng(1))
    for name, values in truth.environment.axes.items():
        low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
        assert moved.scores[name] == pytest.approx((moved.axes[name] - middle) / ((high - low) / 1.349), abs=1e-6)
