"""The committed models keep every promise the service relies on, at points all over the grid, species and horizons."""

import numpy as np
import pytest

from pipeline.evaluation.forestry.native import first_factor_shares, native_pairs
from pipeline.evaluation.forestry.plausibility import (
    PLAUSIBLE_SURVIVAL,
    SPREAD,
    published_sample,
)
from pipeline.evaluation.model_card.inputs import WITHOUT_LOCAL_TRUTH
from pipeline.models.features import FEATURE_NAMES, FEATURES, INPUT_NAMES
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
def everywhere(grid, graphs, manifest):
    """Survival and top magnitudes [species, points, horizons] of each method; the rest is checked on the way."""
    features = grid.features(FEATURE_NAMES)[::SPREAD]
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
    assert manifest["format"] == "nurselog-model/3"
    assert manifest["species"] == species_codes()
    assert manifest["horizons"] == list(HORIZONS)
    assert manifest["coverage"] == grid.coverage
    assert manifest["provenance"]["grid"]["sha256"] == grid.sha256, "the grid changed: run the models command"
    assert [feature["name"] for feature in manifest["features"]] == INPUT_NAMES
    assert set(FEATURE_NAMES) <= set(grid.columns)
    for method in METHODS:
        entry = manifest["methods"][method]
        assert ("intervals" in entry) == (manifest["interval_level"] is not None)
        for file in (entry, entry.get("intervals", entry)):
            assert file["sha256"] == sha256_of(MODELS / file["file"])


def test_factor_labels_are_unique_lower_case_words(manifest):
    labels = [feature["label"] for feature in manifest["features"]]
    assert len(set(labels)) == len(labels)
    assert all(label == label[:1].lower() + label[1:] or label.startswith("January") for label in labels)


def test_no_two_features_have_the_same_values_under_two_names(grid):
    ranks = np.column_stack([grid.columns[name].argsort().argsort() for name in FEATURE_NAMES])
    correlation = np.corrcoef(ranks, rowvar=False) - np.eye(ranks.shape[1])
    assert np.abs(correlation).max() < 0.97


def test_both_models_together_stay_under_four_megabytes():
    assert sum((MODELS / f"{method}.onnx").stat().st_size for method in METHODS) < 4_000_000


def test_interval_graphs_stay_under_a_megabyte_each():
    assert all(path.stat().st_size < 1_000_000 for path in MODELS.glob("*-intervals.onnx"))


def test_manual_is_at_least_drone_seeded_at_96_percent_of_native_points(grid, everywhere):
    points = np.arange(0, len(grid.latitude), SPREAD)
    native = np.stack([grid.in_range(species)[points] for species in range(len(species_codes()))])
    above = everywhere["manual"][0] >= everywhere["drone_seeded"][0]
    assert (above[native].mean(axis=0) >= 0.96).all()


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
