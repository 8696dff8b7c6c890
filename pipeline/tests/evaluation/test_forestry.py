"""The committed models answer as foresters and physics expect."""

import numpy as np
import pytest

from pipeline.evaluation.forestry.local_contrast import differences, near_pairs, opposite_slopes
from pipeline.evaluation.forestry.plausibility import check_ordering, orderings
from pipeline.evaluation.forestry.warming import warming_rules
from pipeline.evaluation.forestry.zones import stands, zone_rules
from pipeline.grid.columns.definitions import COLUMNS
from pipeline.grid.points import SEARCH_RADIUS_KM
from pipeline.grid.projection import great_circle_km
from pipeline.models.features import FEATURE_NAMES, FEATURES, INPUT_NAMES, with_practice
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.species import species_codes


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("feature", [feature for feature in FEATURES if feature.harm], ids=lambda feature: feature.name)
def test_a_harmful_feature_never_raises_survival(grid, graphs, method, feature):
    column = next(column for column in COLUMNS if column.name == feature.name)
    values = np.linspace(column.minimum, column.maximum, 60)[:: feature.harm]
    points = np.random.default_rng(2).integers(0, len(grid.latitude), len(species_codes()))
    for species, site in enumerate(grid.features(FEATURE_NAMES)[points]):
        rows = np.repeat(site[None], len(values), axis=0)
        rows[:, FEATURE_NAMES.index(feature.name)] = values
        survival = graphs[method].survival(rows, np.full(len(values), species))
        assert (np.diff(survival, axis=0) <= 1e-6).all(), species_codes()[species]


def test_species_rank_in_each_zone_as_foresters_expect(grid, graphs):
    broken = [rule for rule in zone_rules(stands(grid, graphs["manual"])) if not rule.holds]
    assert broken == []


def test_a_changed_climate_acts_as_physics_says(grid, graphs):
    broken = [rule for rule in warming_rules(grid, graphs["manual"]) if not rule.holds]
    assert broken == []


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("site", "species"), [((42.2, -120.5), "PIPO"), ((44.28, -121.6), "PSME"), ((45.85, -120.8), "QUGA")]
)
def test_losing_rain_costs_survival_also_below_the_rain_of_the_grid(grid, graphs, method, site, species):
    rows = np.repeat(grid.features(FEATURE_NAMES)[[grid.nearest(*site)]], 4, axis=0)
    rows[:, FEATURE_NAMES.index("precipitation_annual")] *= [1, 0.8, 0.6, 0.4]
    assert rows[3, FEATURE_NAMES.index("precipitation_annual")] < grid.columns["precipitation_annual"].min()
    survival = graphs[method].survival(rows, np.full(4, species_codes().index(species)))[:, -1]
    assert (np.diff(survival) < 0).all()
    assert survival[3] < survival[2] - 0.02


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("better", ["TSHE", "THPL"])
@pytest.mark.parametrize("worse", ["ALRU", "POTR"])
def test_under_a_closed_canopy_trees_of_shade_outlive_trees_of_light(grid, graphs, method, better, worse):
    skagit = with_practice(grid.features(FEATURE_NAMES)[[grid.nearest(48.53, -121.75)] * 2])
    skagit[:, INPUT_NAMES.index("overstory_cover")] = 90
    species = np.array([species_codes().index(better), species_codes().index(worse)])
    survival = graphs[method].survival(skagit, species)[:, -1]
    assert survival[0] > survival[1] + 0.05


@pytest.mark.parametrize("method", METHODS)
def test_a_north_slope_is_better_than_the_south_slope_of_its_valley_where_drought_limits(grid, graphs, method):
    north, south = opposite_slopes(grid)
    species = species_codes().index("PSME")
    native = grid.in_range(species)
    dry = native[north] & native[south] & (grid.columns["precipitation_annual"][north] < 800)
    features = grid.features(FEATURE_NAMES)
    better, worse = (
        graphs[method].survival(features[slope[dry]], np.full(dry.sum(), species))[:, -1] for slope in (north, south)
    )
    assert better.mean() > worse.mean() + 0.04


@pytest.mark.parametrize("ordering", orderings(), ids=lambda o: f"{o.site}: {o.better} over {o.worse}")
def test_a_known_species_ordering_holds_and_names_an_expected_factor(grid, graphs, ordering):
    result = check_ordering(grid, graphs["manual"], ordering)
    assert result.better_survival > result.worse_survival, ordering.why
    assert result.holds, f"{ordering.why}; named {result.named}"


def test_the_service_has_data_at_the_sites_of_the_orderings(grid):
    for ordering in orderings():
        site = ordering.latitude, ordering.longitude
        point = grid.nearest(*site)
        distance_km = great_circle_km(grid.latitude[point], grid.longitude[point], *site)
        assert distance_km <= SEARCH_RADIUS_KM, ordering.site


def test_there_are_enough_orderings_to_test():
    known = orderings()
    neighbours = [ordering for ordering in known if not ordering.factors]
    assert len(neighbours) >= 60
    assert len(known) - len(neighbours) >= 40
    assert all(ordering.source for ordering in known)


@pytest.mark.parametrize("method", METHODS)
def test_places_200_m_apart_are_answered_alike(grid, graphs, method):
    near = near_pairs(grid, seed=4)
    change = differences(grid, graphs[method], near)
    assert near.changes * (change > 0.05).mean() < 0.07
    assert np.quantile(change, 0.95) < 0.125
