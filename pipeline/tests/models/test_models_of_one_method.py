"""Training on a table with trees of one planting method."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from pipeline.models.artefacts import ModelsError, read_artefacts
from pipeline.models.base import keep_method
from pipeline.models_command import MODELS, build, observed

TREES = 3000


@pytest.fixture(scope="module")
def grid(thinned_grid):
    return thinned_grid()


@pytest.fixture(scope="module")
def table(grid, tmp_path_factory):
    generator = np.random.default_rng(1)
    point = generator.integers(0, len(grid.latitude), TREES)
    trees = pd.DataFrame(
        {
            "latitude": grid.latitude[point],
            "longitude": grid.longitude[point],
            "species_code": generator.choice(["PSME", "TSHE"], TREES),
            "planting_method": "drone_seeded",
            "planted_year": 2015,
            "years_observed": generator.choice([1, 3, 5], TREES),
            "alive": generator.integers(0, 2, TREES),
        }
    )
    path = tmp_path_factory.mktemp("table") / "drone.csv"
    trees.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def built(grid, table, tmp_path_factory):
    """Models trained over a copy of the shipped ones, which are their base."""
    directory = tmp_path_factory.mktemp("built")
    models = shutil.copytree(MODELS, directory / "models")
    build(grid, observed(grid, table), "2_0", models, directory / "maps", models)
    return models


def test_the_other_method_is_kept_from_the_base_and_the_manifest_and_card_say_so(built):
    base, new = read_artefacts(MODELS).manifest, read_artefacts(built).manifest
    assert list(new["methods"]) == ["manual", "drone_seeded"]
    assert new["methods"]["manual"]["sha256"] == base["methods"]["manual"]["sha256"]
    assert new["methods"]["manual"]["averages"] == base["methods"]["manual"]["averages"]
    assert new["methods"]["drone_seeded"]["sha256"] != base["methods"]["drone_seeded"]["sha256"]
    assert new["outcomes"] == base["outcomes"] == "simulated"
    assert "The drone_seeded model is fitted to a table of observed outcomes" in new["caution"]
    assert "does not cover, the survival figures are extrapolated. No drone_seeded trees of: ABAM, " in new["caution"]
    assert new["provenance"]["outcomes"]["kind"] == "observed"
    kept = {name: base[name] for name in ("version", "outcomes", "provenance")}
    assert new["provenance"]["kept"]["manual"] == kept | {"sha256": base["methods"]["manual"]["sha256"]}
    assert [score for score in new["scores"] if score["planting_method"] == "manual"] == base["scores"][:3]
    assert len(new["scores"]) == 6
    card = (built / "model-card.md").read_text(encoding="utf-8")
    assert "**No tree of the table is manual.**" in card
    assert "## By species, manual" not in card
    assert f"\n\n**{new['caution']}**\n\n" in card
    assert (
        "- They are fitted to the sites, species and years of the outcomes table; elsewhere they extrapolate." in card
    )


def test_the_caution_names_the_species_that_the_kept_model_has_no_trees_of(built, tmp_path):
    shutil.copytree(MODELS, tmp_path / "base")
    file, new = tmp_path / "base" / "manifest.json", read_artefacts(built).manifest
    absent = {"manual": ["ABCO", "ACMA"], "drone_seeded": ["QUGA"]}

    def caution(provenance):
        file.write_text(json.dumps(json.loads(file.read_text()) | {"provenance": provenance}))
        return keep_method(read_artefacts(tmp_path / "base"), "manual", new, tmp_path)["caution"]

    trained = {"outcomes": {"kind": "observed", "species_without_trees": absent}}
    named = " No manual trees of: ABCO, ACMA; their manual figures are those of the mean species."
    assert caution(trained).endswith(named)
    assert "QUGA;" not in caution(trained)
    assert caution({"kept": {"manual": {"provenance": trained}}}).endswith(named)


def test_each_row_of_the_table_has_a_held_out_prediction(built, table, grid):
    held_out = pd.read_parquet(built / "held-out.parquet")
    outcomes = pd.read_csv(table)
    assert held_out["row"].tolist() == list(range(1, TREES + 1))
    assert held_out["species_code"].tolist() == outcomes["species_code"].tolist()
    survival = held_out[["survival_1", "survival_3", "survival_5"]].to_numpy()
    assert ((survival > 0) & (survival < 1)).all()
    assert (np.diff(survival, axis=1) <= 0).all()
    # Trees of one block are in one fold.
    block = np.floor(outcomes["latitude"]).astype(int).astype(str) + np.floor(outcomes["longitude"]).astype(str)
    assert held_out["fold"].groupby(block.to_numpy()).nunique().max() == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda manifest: manifest["methods"].pop("manual"), "has no model for manual"),
        (lambda manifest: manifest["features"].pop(), "features differ from those of new models"),
        (lambda manifest: manifest["species"].append("ZZZZ"), "species differ from those of new models .ZZZZ."),
    ],
)
def test_a_base_that_cannot_lend_the_other_method_is_refused_before_training(grid, table, tmp_path, change, message):
    shutil.copytree(MODELS, tmp_path / "base")
    manifest = json.loads((tmp_path / "base" / "manifest.json").read_text())
    change(manifest)
    (tmp_path / "base" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelsError, match=message):
        build(grid, observed(grid, table), "2_0", tmp_path / "models", tmp_path / "maps", tmp_path / "base")
    assert not (tmp_path / "models").exists()
