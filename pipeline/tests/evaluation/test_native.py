import numpy as np
import pytest

from pipeline.evaluation.forestry.local_contrast import DISTANCE_KM, differences, near_pairs, opposite_slopes
from pipeline.evaluation.forestry.native import NativePairs, error_effects, first_factor_shares, native_pairs
from pipeline.evaluation.scores import native_rows
from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.grid.lattice import STEPS_PER_DEGREE
from pipeline.grid.projection import great_circle_km
from pipeline.models.basis import KNOTS, Knots
from pipeline.models.features import FEATURE_NAMES, FEATURES
from pipeline.models.hazard import HazardModel
from pipeline.models.input_errors import INPUT_ERRORS
from pipeline.outcomes.periods import HORIZONS, PeriodCounts
from pipeline.outcomes.practice import LINEAR_PRACTICES
from pipeline.outcomes.species import species_codes


@pytest.fixture(scope="module")
def grid():
    return read_grid(GRID)


@pytest.fixture(scope="module")
def pairs(grid):
    every = native_pairs(grid)
    some = slice(None, None, 25)
    return NativePairs(every.point[some], every.species[some], every.features[some])


@pytest.fixture(scope="module")
def model_of(grid):
    """Return a function that makes a model whose hazards rise along one feature by `rise` from knot to knot."""
    knots = Knots.spanning(grid.features(FEATURE_NAMES), np.array([feature.logarithmic for feature in FEATURES]))
    count = len(species_codes())

    def with_effect(name, rise):
        curves = np.zeros((count, len(FEATURES), KNOTS, len(HORIZONS)))
        curves[:, FEATURE_NAMES.index(name)] = rise * (np.arange(KNOTS) - KNOTS / 2)[:, None]
        no_practice = np.zeros((count, len(LINEAR_PRACTICES), len(HORIZONS)))
        return HazardModel(knots, np.full((count, len(HORIZONS)), -2.0), curves, no_practice, False)

    return with_effect


def test_native_pairs_are_points_inside_the_range_of_the_species(grid, pairs):
    for species in range(len(species_codes())):
        assert grid.in_range(species)[pairs.point[pairs.species == species]].all()


def test_native_rows_are_those_inside_the_range_of_the_species(grid):
    species = np.arange(len(species_codes())).repeat(100)
    point = np.random.default_rng(0).integers(0, len(grid.latitude), len(species))
    ones = np.ones((len(species), len(HORIZONS)))
    expected = [grid.in_range(index)[where] for index, where in zip(species, point, strict=True)]
    assert native_rows(grid, PeriodCounts(point, species, ones, ones)).tolist() == expected


def test_the_only_feature_with_an_effect_is_always_first(pairs, model_of):
    shares = first_factor_shares(pairs, model_of("vpd_max", 0.1))
    assert shares[FEATURE_NAMES.index("vpd_max")] == pytest.approx(1.0)


def test_an_error_changes_survival_only_through_its_own_feature_and_in_proportion(grid, pairs, model_of):
    small, double = (error_effects(grid, pairs, model_of("dew_point", rise)) for rise in (0.001, 0.002))
    column = FEATURE_NAMES.index("dew_point")
    assert not np.delete(small, column).any()
    # A small slope changes the five-year survival S by S * sum of hazards * change of the logit.
    hazard = 1 / (1 + np.exp(2.0))
    per_knot = float(model_of("dew_point", 0.0).knots.step[column])
    expected = (1 - hazard) ** 3 * 3 * hazard * 0.001 * INPUT_ERRORS["dew_point"].as_answered() / per_knot
    assert small[column] == pytest.approx(expected, rel=0.05)
    assert double[column] == pytest.approx(2 * small[column], rel=0.05)


def test_the_share_of_near_places_with_two_points_is_that_of_geometry(grid):
    pairs = near_pairs(grid, seed=2)
    height = 111.2 / STEPS_PER_DEGREE
    width = height * np.cos(np.radians(grid.latitude)).mean()
    # Two ends of a needle in one cell of a lattice (Buffon and Laplace).
    expected = 2 * DISTANCE_KM * (height + width) / (np.pi * height * width) - DISTANCE_KM**2 / (np.pi * height * width)
    assert pairs.changes == pytest.approx(expected, abs=0.015)
    assert (pairs.first != pairs.second).all()


def test_a_model_without_effects_has_no_differences_between_near_places(grid, model_of):
    assert not differences(grid, model_of("slope", 0.0), near_pairs(grid, seed=3)).any()


def test_opposite_slopes_face_north_and_south_at_the_same_height_of_one_valley(grid):
    north, south = opposite_slopes(grid)
    assert len(north) > 1000
    assert (grid.columns["heat_load"][south] > grid.columns["heat_load"][north]).mean() > 0.98
    assert np.abs(grid.columns["elevation"][north] - grid.columns["elevation"][south]).max() <= 100
    apart = great_circle_km(grid.latitude[north], grid.longitude[north], grid.latitude[south], grid.longitude[south])
    assert apart.max() <= 2.02
