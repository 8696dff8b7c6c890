"""Training on a table of outcomes from the field, here one generated with known effects and trees lost on the way."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from pipeline.evaluation.graph import GraphModel
from pipeline.models.artefacts import read_artefacts
from pipeline.models.features import FEATURE_NAMES
from pipeline.models_command import build, observed
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.species import species_codes
from pipeline.recalibrate_command import _caution as recalibrated_caution

SPECIES = ("PSME", "PIPO")
DRYNESS_SLOPE = {"PSME": 1.0, "PIPO": 0.3}
LEVEL = {"manual": (-2.0, -2.4, -2.8), "drone_seeded": (-1.2, -1.8, -2.2)}
TREES = 100_000
LOST_A_YEAR = 0.08


@pytest.fixture(scope="module")
def grid(thinned_grid):
    return thinned_grid()


@pytest.fixture(scope="module")
def dryness(grid):
    values = grid.columns["vpd_max"].astype(float)
    return (values - values.mean()) / values.std()


def true_survival(dryness, species, method):
    logits = np.array(LEVEL[method]) + DRYNESS_SLOPE[species] * dryness[:, None]
    return np.cumprod(expit(-logits), axis=1)


def followed(generator, dryness, species, method, point):
    """Years observed and alive of trees visited every year; deaths fall in any year of a period alike."""
    logits = np.array(LEVEL[method]) + DRYNESS_SLOPE[species] * dryness[point, None]
    dies = generator.random(logits.shape) < expit(logits)
    year = np.array([1, 2, 4]) + np.array([0, 1, 1]) * (generator.random(logits.shape) < 0.5)
    death = np.where(dies.any(axis=1), year[np.arange(len(point)), dies.argmax(axis=1)], 99)
    last_visit = np.minimum(1 + generator.geometric(LOST_A_YEAR, len(point)), 5)
    return np.minimum(death, last_visit), (death > last_visit).astype(int)


@pytest.fixture(scope="module")
def built(grid, dryness, tmp_path_factory):
    generator = np.random.default_rng(8)
    tables = []
    for species in SPECIES:
        for method in METHODS:
            point = generator.integers(0, len(grid.latitude), TREES)
            years, alive = followed(generator, dryness, species, method, point)
            tables.append(
                pd.DataFrame(
                    {
                        "latitude": grid.latitude[point],
                        "longitude": grid.longitude[point],
                        "species_code": species,
                        "planting_method": method,
                        "planted_year": 2012,
                        "years_observed": years,
                        "alive": alive,
                    }
                )
            )
    directory = tmp_path_factory.mktemp("observed")
    pd.concat(tables).to_parquet(directory / "outcomes.parquet")
    for output in ("models", "maps"):
        (directory / output).mkdir()
    training = observed(grid, directory / "outcomes.parquet")
    build(grid, training, "7_4", directory / "models", directory / "maps")
    return directory


def fitted(grid, built, species, method):
    features = grid.features(FEATURE_NAMES)
    return GraphModel(built / "models" / f"{method}.onnx").run(
        features, np.full(len(features), species_codes().index(species))
    )


@pytest.mark.parametrize("species", SPECIES)
@pytest.mark.parametrize("method", METHODS)
def test_known_survival_is_recovered_in_spite_of_trees_lost_to_follow_up(grid, dryness, built, species, method):
    survival, _, _ = fitted(grid, built, species, method)
    error = survival - true_survival(dryness, species, method)
    assert np.sqrt((error**2).mean(axis=0)) == pytest.approx([0, 0, 0], abs=0.02)
    assert error.mean(axis=0) == pytest.approx([0, 0, 0], abs=0.01)


def test_the_feature_with_an_effect_is_the_one_named(grid, built):
    _, _, contributions = fitted(grid, built, "PSME", "manual")
    spread = contributions[:, 2].std(axis=0)
    assert FEATURE_NAMES[int(spread.argmax())] == "vpd_max"
    assert spread.max() > 4 * np.sort(spread)[-2]


def test_species_without_outcomes_get_the_shared_curves_and_the_caution_names_them(grid, built):
    survival, _, _ = fitted(grid, built, "TSHE", "manual")
    assert np.isfinite(survival).all()
    assert survival[:, 2].std() > 0.1
    assert survival == pytest.approx(fitted(grid, built, "ABAM", "manual")[0], abs=1e-4)
    models = read_artefacts(built / "models")
    absent = ", ".join(code for code in species_codes() if code not in SPECIES)
    named = "".join(
        f" No {method} trees of: {absent}; their {method} figures are those of the mean species." for method in METHODS
    )
    assert models.manifest["caution"].endswith(named)
    assert named in recalibrated_caution(models, [])


def test_the_artefacts_are_those_of_the_simulation_and_name_the_table(built):
    manifest = json.loads((built / "models" / "manifest.json").read_text())
    assert manifest["version"] == "pnw_v7_4_lodgepole"
    assert manifest["outcomes"] == manifest["provenance"]["outcomes"]["kind"] == "observed"
    assert manifest["provenance"]["outcomes"]["file"] == "outcomes.parquet"
    card = (built / "models" / "model-card.md").read_text()
    assert card.startswith(f"# Model card: pnw_v7_4_lodgepole\n\n**{manifest['caution']}**\n")
    assert "The outcomes are observed" in card
    assert "simulated" not in card.split("## Plausibility")[0]
    assert "by construction" not in card
    assert "counts as half a tree alive in the next. `evaluate` leaves it out there, so its scores" in card
    assert "\n\nAll trees:\n\n" in card
    limits = card.split("## Limits")[1]
    for claim in ("simulation", "interval", "juniper", "red alder 0.17"):
        assert claim not in limits
    assert {path.name for path in (built / "maps").iterdir()} >= {"calibration.png", "survival.png"}
