"""The committed models keep every promise the service relies on, at points all over the grid, species and horizons."""

import json
import time
import timeit

import numpy as np
import pytest

from pipeline.evaluation.graph import GraphModel
from pipeline.evaluation.local_contrast import differences, near_pairs, opposite_slopes
from pipeline.evaluation.model_card.inputs import WITHOUT_LOCAL_TRUTH
from pipeline.evaluation.native import first_factor_shares, native_pairs
from pipeline.evaluation.plausibility import PLAUSIBLE_SURVIVAL, SPREAD, check_ordering, orderings, published_sample
from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.grid.points import SEARCH_RADIUS_KM
from pipeline.grid.projection import great_circle_km
from pipeline.models.features import FEATURE_NAMES, FEATURES
from pipeline.models_command import MODELS
from pipeline.outcomes.crest import west_of_crest
from pipeline.outcomes.intercepts import PUBLISHED_SURVIVAL
from pipeline.outcomes.periods import HORIZONS, METHODS
from pipeline.outcomes.species import species_codes
from pipeline.sources.manifest import sha256_of

LABELS_OF_THE_SAMPLE = {
    "vapor pressure deficit",
    "dew point temperature",
    "precipitation",
    "soil water capacity",
    "elevation",
    "crown ratio",
}


@pytest.fixture(scope="module")
def manifest():
    return json.loads((MODELS / "manifest.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def grid():
    return read_grid(GRID)


@pytest.fixture(scope="module")
def graphs():
    return {method: GraphModel(MODELS / f"{method}.onnx") for method in METHODS}


@pytest.fixture(scope="module")
def everywhere(grid, graphs, manifest):
    """Survival and top magnitudes [species, points, horizons] of each method; the rest is checked on the way."""
    features = grid.features([feature["name"] for feature in manifest["features"]])[::SPREAD]
    survival = {method: [] for method in METHODS}
    magnitudes = {method: [] for method in METHODS}
    worst = dict.fromkeys(METHODS, 0.0)
    for method, graph in graphs.items():
        for species in range(len(manifest["species"])):
            outputs = graph.run(features, np.full(len(features), species))
            worst[method] = max(worst[method], float(np.abs(outputs[1] + outputs[2].sum(axis=2) - outputs[0]).max()))
            survival[method].append(outputs[0])
            magnitudes[method].append(np.abs(outputs[2]).max(axis=2))
    return {method: (np.stack(survival[method]), np.stack(magnitudes[method]), worst[method]) for method in METHODS}


def test_the_manifest_describes_the_files_the_grid_and_the_species(manifest, grid):
    assert manifest["format"] == "nurselog-model/2"
    assert manifest["species"] == species_codes()
    assert manifest["horizons"] == list(HORIZONS)
    assert manifest["coverage"] == grid.coverage
    assert manifest["provenance"]["grid"]["sha256"] == grid.sha256, "the grid changed: run the models command"
    assert {feature["name"] for feature in manifest["features"]} <= set(grid.columns)
    for method in METHODS:
        entry = manifest["methods"][method]
        assert ("intervals" in entry) == (manifest["interval_level"] is not None)
        for file in (entry, entry.get("intervals", entry)):
            assert file["sha256"] == sha256_of(MODELS / file["file"])


def test_factor_labels_are_unique_lower_case_words(manifest):
    labels = [feature["label"] for feature in manifest["features"]]
    assert len(set(labels)) == len(labels)
    assert all(label == label[:1].lower() + label[1:] or label.startswith("January") for label in labels)


def test_no_two_features_have_the_same_values_under_two_names(manifest, grid):
    ranks = np.column_stack([grid.columns[feature["name"]].argsort().argsort() for feature in manifest["features"]])
    correlation = np.corrcoef(ranks, rowvar=False) - np.eye(ranks.shape[1])
    assert np.abs(correlation).max() < 0.97


def test_both_models_together_stay_under_four_megabytes():
    assert sum((MODELS / f"{method}.onnx").stat().st_size for method in METHODS) < 4_000_000


def test_interval_graphs_stay_under_a_megabyte_each():
    assert all(path.stat().st_size < 1_000_000 for path in MODELS.glob("*-intervals.onnx"))


@pytest.mark.parametrize("method", METHODS)
def test_contributions_add_up_everywhere(everywhere, method):
    assert everywhere[method][2] < 1e-4


@pytest.mark.parametrize("method", METHODS)
def test_survival_is_a_probability_that_never_rises(everywhere, method):
    survival = everywhere[method][0]
    assert np.isfinite(survival).all()
    assert survival.min() >= 0
    assert survival.max() <= 1
    assert (np.diff(survival, axis=2) <= 0).all()


def test_manual_is_above_drone_seeded_for_at_least_97_percent_of_pairs_at_each_horizon(everywhere):
    above = everywhere["manual"][0] > everywhere["drone_seeded"][0]
    assert (above.mean(axis=(0, 1)) >= 0.97).all()


def test_the_gap_between_methods_is_spread_widely_at_year_five(everywhere):
    gap = (everywhere["manual"][0] - everywhere["drone_seeded"][0])[:, :, -1]
    low, high = np.quantile(gap, (0.1, 0.9))
    assert high - low >= 0.08


@pytest.mark.parametrize("method", METHODS)
def test_the_first_factor_is_typically_worth_2_to_20_points_where_survival_is_plausible(everywhere, method):
    survival, magnitudes, _ = everywhere[method]
    plausible = magnitudes[survival[:, :, 0] >= PLAUSIBLE_SURVIVAL]
    assert ((plausible >= 0.02) & (plausible <= 0.20)).mean() >= 0.7


@pytest.mark.parametrize("method", METHODS)
def test_the_published_sample_is_reproduced_within_three_points(grid, graphs, method):
    survival, contributions = published_sample(grid, graphs[method])
    assert survival == pytest.approx(PUBLISHED_SURVIVAL[method], abs=0.03)
    for of_horizon in contributions:
        top = [FEATURES[index].label for index in np.argsort(-np.abs(of_horizon))[:3]]
        assert set(top) <= LABELS_OF_THE_SAMPLE
    # The sample's own are 0.05 to 0.17; its soil water and crown ratio lead more than ours, which are known less well.
    magnitudes = np.sort(np.abs(contributions[-1]))[-3:]
    assert (magnitudes >= 0.04).all()
    assert (magnitudes <= 0.17).all()


@pytest.fixture(scope="module")
def pairs(grid):
    return native_pairs(grid)


@pytest.mark.parametrize("method", METHODS)
def test_inputs_without_local_truth_are_the_first_factor_of_at_most_a_fifth_of_native_pairs(pairs, graphs, method):
    shares = first_factor_shares(pairs, graphs[method])
    assert sum(shares[FEATURE_NAMES.index(name)] for name in WITHOUT_LOCAL_TRUTH) <= 0.2


@pytest.mark.parametrize("method", METHODS)
def test_places_200_m_apart_are_answered_alike(grid, graphs, method):
    near = near_pairs(grid, seed=4)
    change = differences(grid, graphs[method], near)
    assert near.changes * (change > 0.05).mean() < 0.055
    assert np.quantile(change, 0.95) < 0.1


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


@pytest.mark.parametrize(("code", "is_west"), [("JUOC", False), ("SESE", True)])
def test_a_species_is_not_the_best_where_it_does_not_grow(grid, everywhere, code, is_west):
    points = np.arange(0, len(grid.latitude), SPREAD)
    species = species_codes().index(code)
    first = everywhere["manual"][0][:, :, -1].argmax(axis=0) == species
    side = west_of_crest(grid.latitude[points], grid.longitude[points]) == is_west
    assert (first & ~grid.in_range(species)[points])[side].mean() < 0.05


@pytest.mark.parametrize("method", METHODS)
def test_the_baseline_is_the_survival_of_the_average_native_site(grid, graphs, everywhere, method):
    points = np.arange(0, len(grid.latitude), SPREAD)
    count = len(species_codes())
    baseline = graphs[method].run(grid.features(FEATURE_NAMES)[:count], np.arange(count))[1][:, -1]
    native = [grid.in_range(species)[points] for species in range(count)]
    mean = np.array([everywhere[method][0][species, native[species], -1].mean() for species in range(count)])
    # Survival is concave in the logit where it is high, so the average site lives a little better than the sites.
    assert np.mean(baseline - mean) == pytest.approx(0.0, abs=0.03)


@pytest.mark.parametrize("ordering", orderings(), ids=lambda o: f"{o.site}: {o.better} over {o.worse}")
def test_a_known_species_ordering_holds_and_names_an_expected_factor(grid, graphs, ordering):
    result = check_ordering(grid, graphs["manual"], ordering)
    assert result.better_survival > result.worse_survival, ordering.why
    assert set(result.named) & set(ordering.factors), f"{ordering.why}; named {result.named}"


def test_the_service_has_data_at_the_sites_of_the_orderings(grid):
    for ordering in orderings():
        site = ordering.latitude, ordering.longitude
        point = grid.nearest(*site)
        distance_km = great_circle_km(grid.latitude[point], grid.longitude[point], *site)
        assert distance_km <= SEARCH_RADIUS_KM, ordering.site


def test_there_are_enough_orderings_to_test():
    assert len(orderings()) >= 40


@pytest.mark.parametrize("method", METHODS)
def test_500_rows_take_under_800_microseconds_of_cpu_time(grid, graphs, manifest, method):
    generator = np.random.default_rng(0)
    features = grid.features([feature["name"] for feature in manifest["features"]])
    rows = np.ascontiguousarray(features[generator.integers(0, len(features), 500)])
    species = generator.integers(0, len(manifest["species"]), 500)
    graphs[method].run(rows, species)
    seconds = timeit.repeat(lambda: graphs[method].run(rows, species), timer=time.process_time, number=20, repeat=20)
    assert min(seconds) / 20 < 800e-6
