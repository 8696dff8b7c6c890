"""The steps of docs/outcomes.md on a made-up table: it is evaluated, trained on, and evaluated again."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from pipeline.__main__ import MODELS, main
from pipeline.models.artefacts import read_artefacts
from pipeline.models.recalibration import SCORES
from pipeline.models_command import build, observed
from pipeline.outcomes.periods import HORIZONS, METHODS
from pipeline.outcomes.table import read_outcomes
from pipeline.sources.manifest import sha256_of
from pipeline.tests.made_up_trees import INTERCEPT, PLOTS, SLOPE, TREES_PER_PLOT, made_up_trees

REPLICATES = "30"


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return tmp_path_factory.mktemp("example")


@pytest.fixture(scope="module")
def table(directory, whole_grid):
    trees = made_up_trees(whole_grid, read_artefacts(MODELS))
    trees.to_csv(directory / "trees.csv", index=False, float_format="%.5f")
    return directory / "trees.csv"


def evaluated(table, output, *options):
    assert main(["evaluate", "--outcomes", str(table), "--output", str(output), *options]) == 0
    return json.loads((output / "report.json").read_text(encoding="utf-8"))


def overall(report, method, horizon):
    (entry,) = (
        entry
        for entry in report["scores"]
        if (entry["group"], entry["planting_method"], entry["horizon_years"]) == ("all", method, horizon)
    )
    return entry


@pytest.fixture(scope="module")
def first(table, directory):
    return evaluated(table, directory / "first", "--replicates", REPLICATES)


def test_the_made_up_table_has_2000_trees_of_both_methods_some_dead_some_lost(table):
    trees = pd.read_csv(table)
    assert len(trees) == PLOTS * TREES_PER_PLOT == 2000
    assert set(trees["planting_method"]) == set(METHODS)
    assert len(trees.groupby(["years_observed", "alive"])) == 6
    assert table.stat().st_size < 150_000


@pytest.mark.parametrize("method", METHODS)
def test_the_evaluation_recovers_the_made_up_effects(first, method):
    for horizon in HORIZONS:
        entry = overall(first, method, horizon)
        assert entry["calibration_intercept"]["high"] < 0
        assert entry["observed"]["high"] < entry["predicted"]["value"]
        assert entry["auc"]["low"] > 0.5
        assert entry["dead"] + entry["alive"] + entry["lost"] == entry["trees"]
    lines = first["recalibration"]["methods"][method]
    # Site effects, which no model knows, draw slopes to 0, so that the first period is the one to look at.
    assert lines[0]["slope_low"] - 0.05 < SLOPE < lines[0]["slope_high"] + 0.1
    assert lines[0]["intercept_low"] - 0.1 < INTERCEPT < lines[0]["intercept_high"] + 0.3


def test_the_report_covers_species_ecoregions_and_blocks_and_has_the_files_that_the_docs_name(first, directory):
    assert {entry["group"] for entry in first["scores"]} == {"all", "species", "ecoregion", "block"}
    for group in ("species", "ecoregion", "block"):
        trees = [entry["trees"] for entry in first["scores"] if entry["group"] == group and entry["horizon_years"] == 5]
        assert sum(trees) == 2000
    written = {path.name for path in (directory / "first").iterdir()}
    assert written == {"report.md", "report.json", "calibration.png", "recalibration.json", "predictions.parquet"}
    predictions = pd.read_parquet(directory / "first" / "predictions.parquet")
    assert predictions["row"].tolist() == list(range(1, 2001))
    text = (directory / "first" / "report.md").read_text(encoding="utf-8")
    assert "1 Coast Range" in text
    assert "The models were trained on simulated outcomes." in text
    assert "planted otherwise: vegetation control 0.5, overstory cover 10, seeds per spot 740." in text
    assert f"intervals from {REPLICATES} bootstrap samples" in text
    assert "| manual | year 1 |" in text


def test_scores_before_recalibration_are_those_of_all_trees(first):
    for entry in first["recalibration"]["scores_before"]:
        of_all = overall(first, entry["planting_method"], entry["horizon_years"])
        assert {name: entry[name] for name in SCORES} == {name: of_all[name]["value"] for name in SCORES}


def rounded(scores):
    return [{name: round(value, 4) if name in SCORES else value for name, value in of.items()} for of in scores]


def test_a_second_evaluation_writes_the_same_bytes(first, table, directory):
    evaluated(table, directory / "again", "--replicates", REPLICATES)
    for path in (directory / "first").iterdir():
        assert path.read_bytes() == (directory / "again" / path.name).read_bytes(), path.name


def test_recalibrated_models_predict_the_survival_that_was_observed(first, table, directory):
    models = directory / "recalibrated"
    recalibration = directory / "first" / "recalibration.json"
    options = ["--recalibration", str(recalibration), "--output", str(models), "--model-version", "2_0"]
    assert main(["recalibrate", *options]) == 0
    manifest = read_artefacts(models).manifest
    assert manifest["version"] == "pnw_v2_0_lodgepole"
    assert manifest["outcomes"] == "simulated"
    assert "recalibrated to observed ones" in manifest["caution"]
    assert manifest["scores"] == rounded(first["recalibration"]["scores"])
    report = evaluated(table, directory / "recalibrated-report", "--models", str(models), "--replicates", "0")
    assert report["predictions"] == "in sample"
    again = json.loads((directory / "recalibrated-report" / "recalibration.json").read_text(encoding="utf-8"))
    assert {score[name] for score in again["scores"] for name in SCORES} == {None}
    text = (directory / "recalibrated-report" / "report.md").read_text(encoding="utf-8")
    assert "There are no intervals" in text
    assert "bootstrap" not in text
    for method in METHODS:
        for horizon in HORIZONS:
            entry = overall(report, method, horizon)
            assert entry["predicted"]["value"] == pytest.approx(entry["observed"]["value"], abs=0.01)
            assert entry["calibration_slope"]["value"] == pytest.approx(1, abs=0.15)


def test_a_method_that_no_line_changes_is_copied_with_its_scores(first, directory):
    content = json.loads((directory / "first" / "recalibration.json").read_text(encoding="utf-8"))
    for entry in content["methods"]["drone_seeded"]:
        entry |= {"intercept": 0, "slope": 1}
    (directory / "manual-only.json").write_text(json.dumps(content), encoding="utf-8")
    models = directory / "manual-only"
    options = ["--recalibration", str(directory / "manual-only.json"), "--model-version", "2_2"]
    assert main(["recalibrate", *options, "--output", str(models)]) == 0
    base, new = (read_artefacts(path) for path in (MODELS, models))
    assert new.sha256()["drone_seeded"] == base.sha256()["drone_seeded"]
    estimated = [score for score in content["scores"] if score["planting_method"] == "manual"]
    of_base = [score for score in base.manifest["scores"] if score["planting_method"] == "drone_seeded"]
    assert new.manifest["scores"] == of_base + rounded(estimated)
    assert "The drone_seeded model is unchanged" in new.manifest["caution"]
    card = (models / "model-card.md").read_text(encoding="utf-8")
    assert "those of drone_seeded are those of the base models." in card
    assert "| drone_seeded | 1 |" not in card


def test_models_know_each_table_that_they_were_recalibrated_to_or_keep_a_method_from(table, directory):
    def in_sample(models, *origins):
        report = evaluated(table, directory / "known", "--models", str(models), "--replicates", "0")
        assert set(origins) <= set(report["notes"])
        return report["predictions"] == "in sample"

    def with_provenance(name, provenance):
        models = shutil.copytree(MODELS, directory / name)
        manifest = read_artefacts(models).manifest | {"provenance": provenance}
        (models / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        return models

    known = {"recalibration": {"outcomes": {"file": "trees.csv", "sha256": sha256_of(table)}}}
    other, twice = directory / "other.csv", directory / "twice"
    pd.read_csv(table)[TREES_PER_PLOT:].to_csv(other, index=False)
    once = with_provenance("once", known)
    report = evaluated(other, directory / "other", "--models", str(once), "--replicates", "0")
    assert report["predictions"] == "models"
    assert any("trained on or recalibrated to trees.csv, and this table is another" in note for note in report["notes"])
    options = ["--recalibration", str(directory / "other" / "recalibration.json"), "--model-version", "2_1"]
    assert main(["recalibrate", "--models", str(once), "--output", str(twice), *options]) == 0
    both, recalibrated = "The models were trained on simulated outcomes.", "The models were recalibrated to other.csv."
    assert in_sample(twice, both, recalibrated)
    # As if it had been written into the folder of models that were trained on the table before.
    trained = {"outcomes": known["recalibration"]["outcomes"], "recalibration": {"outcomes": {"sha256": "0"}}}
    recalibrated = with_provenance("over-trained", trained)
    survival = {f"survival_{horizon}": np.full(2000, 0.5) for horizon in HORIZONS}
    pd.DataFrame(survival).to_parquet(recalibrated / "held-out.parquet")
    assert in_sample(recalibrated)
    kept = with_provenance("kept", {"kept": {"manual": {"outcomes": "simulated", "provenance": known}}})
    assert in_sample(kept, "The manual model was trained on simulated outcomes.")


def test_models_trained_on_the_table_are_scored_on_their_held_out_predictions(
    first, table, directory, whole_grid, thinned_grid
):
    grid, models = thinned_grid(read_outcomes(table, whole_grid)[1]), directory / "trained"
    models.mkdir()
    build(grid, observed(grid, table), "3_0", models, directory / "maps")
    report = evaluated(table, directory / "second", "--models", str(models), "--replicates", "0")
    assert report["predictions"] == "held out"
    predictions = pd.read_parquet(directory / "second" / "predictions.parquet")
    held_out = pd.read_parquet(models / "held-out.parquet")
    for horizon in HORIZONS:
        assert np.array_equal(predictions[f"survival_{horizon}"], held_out[f"survival_{horizon}"])
    for method in METHODS:
        entry, before = (overall(each, method, 5) for each in (report, first))
        assert entry["brier"]["value"] < before["brier"]["value"]
        assert abs(entry["calibration_intercept"]["value"]) < abs(before["calibration_intercept"]["value"])
