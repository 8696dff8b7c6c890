"""The committed models answer for the practice of a planting."""

import numpy as np
import pytest

from pipeline.evaluation.graph import IntervalGraph
from pipeline.intervals.model import LEVEL
from pipeline.models.features import FEATURE_NAMES, INPUT_NAMES, with_practice
from pipeline.models.input_errors import standard_errors
from pipeline.models_command import MODELS
from pipeline.outcomes.intercepts import PUBLISHED_SITE, PUBLISHED_SPECIES
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.practice import DEFAULTS
from pipeline.outcomes.species import species_codes


def test_features_of_the_practice_have_a_default_and_no_error_and_those_of_the_grid_the_reverse(manifest):
    for feature in manifest["features"]:
        of_grid = feature["name"] in FEATURE_NAMES
        assert ("error" in feature) == ("training" in feature) == of_grid
        assert ("default" in feature) != of_grid
        if not of_grid:
            assert feature["minimum"] <= feature["default"] <= feature["maximum"]
    assert [feature["name"] for feature in manifest["features"] if "methods" in feature] == ["seeds_per_spot"]


@pytest.mark.parametrize("method", METHODS)
def test_the_average_practice_is_the_default(manifest, method):
    averages = np.array(manifest["methods"][method]["averages"])[:, len(FEATURE_NAMES) :]
    assert (averages == DEFAULTS).all()


def test_elevations_below_the_lowest_land_are_refused(manifest):
    assert manifest["features"][FEATURE_NAMES.index("elevation")]["minimum"] == -10


@pytest.fixture(scope="module")
def published(grid, graphs):
    """A function that returns the survival [horizons] of the published sample with some inputs changed."""
    site = grid.features(FEATURE_NAMES)[grid.nearest(*PUBLISHED_SITE)][None]
    species = np.array([species_codes().index(PUBLISHED_SPECIES)])

    def survival(method, **inputs):
        values = with_practice(site)
        for name, value in inputs.items():
            values[0, INPUT_NAMES.index(name)] = value
        return graphs[method].survival(values, species)[0]

    return survival


@pytest.mark.parametrize("method", METHODS)
def test_complete_control_of_vegetation_adds_at_least_five_points_over_none(published, method):
    none, complete = (published(method, vegetation_control=control)[-1] for control in (0, 1))
    assert complete >= none + 0.05


@pytest.mark.parametrize("method", METHODS)
def test_overstory_costs_survival(published, method):
    assert published(method, overstory_cover=0)[-1] > published(method, overstory_cover=60)[-1] + 0.02


def test_three_seeds_a_spot_rarely_leave_a_seedling(published):
    assert published("drone_seeded", seeds_per_spot=3)[0] < 0.1
    assert published("manual", seeds_per_spot=3).tolist() == published("manual").tolist()


def test_the_interval_without_weeds_and_overstory_reaches_the_survival_observed_near_medford(grid):
    point = grid.nearest(42.4, -123.0)
    practice = np.array([1.0, 0.0, DEFAULTS[-1]])
    inputs = with_practice(grid.features(FEATURE_NAMES)[point : point + 1], practice)
    species = np.array([species_codes().index("PSME")])
    graph = IntervalGraph(MODELS / "manual-intervals.onnx")
    draws = graph.draws(inputs, species, standard_errors(grid, np.array([point])))[0, -1]
    assert np.quantile(draws, (1 + LEVEL) / 2) >= 0.89
