"""The worked example of docs/outcomes.md: the redcedars around Puget Sound."""

import json

import pandas as pd
import pytest

from pipeline.__main__ import MODELS, main
from pipeline.evaluation.evidence.plantings import read_plantings
from pipeline.evaluation.evidence.redcedar import REDCEDAR
from pipeline.models.artefacts import read_artefacts


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return tmp_path_factory.mktemp("redcedar")


@pytest.fixture(scope="module")
def table(directory):
    assert main(["example", "--output", str(directory / "trees.csv")]) == 0
    return directory / "trees.csv"


@pytest.fixture(scope="module")
def report(table, directory):
    assert main(["evaluate", "--outcomes", str(table), "--output", str(directory / "evaluation")]) == 0
    return json.loads((directory / "evaluation" / "report.json").read_text(encoding="utf-8"))


def test_the_table_has_a_row_for_each_redcedar_that_was_found(table):
    trees = pd.read_csv(table)
    assert len(trees) == 332
    assert set(trees["species_code"]) == {"THPL"}
    assert trees["years_observed"].between(1, 3).all()


def test_observed_survival_is_that_of_the_volunteers_and_year_5_is_not_estimable(report):
    first, third, fifth = (
        entry for entry in report["scores"] if (entry["group"], entry["planting_method"]) == ("all", "manual")
    )
    # 10 of 332 were found dead in the first year, 11 of the others later; 5 were lost.
    assert first["observed"]["value"] == pytest.approx(1 - 10 / 332)
    assert third["dead"] == 21
    assert "observed" in fifth["not_estimable"]


def test_recalibrated_models_have_no_scores_that_cannot_be_held_out_and_their_own_table_is_no_test(report, directory):
    recalibration, models = directory / "evaluation" / "recalibration.json", directory / "recalibrated"
    options = ["--recalibration", str(recalibration), "--model-version", "2_0", "--output", str(models)]
    assert main(["recalibrate", *options]) == 0
    base, new = (read_artefacts(path).manifest["scores"] for path in (MODELS, models))
    # Without the trees of one of the two blocks there are fewer than 10 deaths, and no lines that could be scored.
    before, after = (
        [score["brier"] for score in report["recalibration"][name]] for name in ("scores_before", "scores")
    )
    assert [brier is None for brier in before] == [False, False, True]
    assert after == [None] * 3
    text = (directory / "evaluation" / "report.md").read_text(encoding="utf-8")
    assert "\n\nNot estimable after recalibration: with all trees a period has a line, without" in text
    card, manifest = (models / "model-card.md").read_text(encoding="utf-8"), read_artefacts(models).manifest
    assert "The drone_seeded model is unchanged: do not choose a method by the" in manifest["caution"]
    known = {row["source"] for row in manifest["evidence"] if row["use"] == "conditioning"}
    assert known == {REDCEDAR}
    assert {row["use"] for row in manifest["evidence"] if row["source"] not in known} == {"shown"}
    others = sum(planting.trees or 0 for planting in read_plantings() if planting.source not in known)
    assert main(["evidence", "--models", str(models)]) == 0
    for text in (card, (models / "evidence.md").read_text(encoding="utf-8")):
        assert f"Tested on {others:,} planted trees" in text
    assert (models / "model-card.md").read_text(encoding="utf-8") == card
    assert f"\n\n**{manifest['caution']}**\n\n" in card
    assert new == [score for score in base if score["planting_method"] == "drone_seeded"]


def test_training_on_so_few_dead_trees_is_refused(table, directory, capsys):
    options = ["--outcomes", str(table), "--model-version", "3_0", "--output", str(directory / "trained")]
    assert main(["models", *options]) == 1
    assert "too few trees to train manual" in capsys.readouterr().err
