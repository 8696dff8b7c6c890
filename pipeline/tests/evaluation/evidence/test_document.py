"""docs/evidence.md, the rows of the manifest and the section of the card belong to the shipped models."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from pipeline.__main__ import main
from pipeline.evaluation.evidence import seeds
from pipeline.evaluation.evidence.document.card import SECTION, caution
from pipeline.evaluation.evidence.document.report import report
from pipeline.evaluation.evidence.document.write import write_into_card
from pipeline.evaluation.evidence.outside import OutsidePlaces
from pipeline.evaluation.evidence.plantings import read_plantings
from pipeline.evaluation.evidence.predictions import Predicted, compare_plantings
from pipeline.evaluation.evidence.scores import values
from pipeline.evaluation.evidence.text import share
from pipeline.evaluation.model_card.limits import limits_section
from pipeline.evaluation.model_card.text import markdown_table
from pipeline.models.artefacts import read_artefacts
from pipeline.sources.manifest import PROJECT

MODELS, DOCS = PROJECT / "models", PROJECT / "docs"
FILES = ("evidence.md", "evidence/plantings.md")
FIGURES = ("evidence/observed.png", "evidence/elevation.png")
FIELDS = ["source", "place", "treatment", "species_code", "planting_method", "years", "horizon_years", "trees"]
FIELDS += ["observed", "predicted", "low", "high", "use"]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    directory = tmp_path_factory.mktemp("evidence")
    before = (MODELS / "manifest.json").read_bytes()
    assert main(["evidence", "--output", str(directory)]) == 0
    assert (MODELS / "manifest.json").read_bytes() == before
    return directory


@pytest.mark.parametrize("name", FILES)
def test_the_committed_documents_are_what_the_command_writes(written, name):
    assert (written / name).read_bytes() == (DOCS / name).read_bytes()


@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_are_written_and_small(written, name):
    assert (DOCS / name).is_file()
    assert 1_000 < (written / name).stat().st_size < 100_000


def test_a_share_above_0_is_never_shown_as_0():
    assert [share(value) for value in (0, 0.004, 0.01, 0.5)] == ["0.00", "0.0040", "0.01", "0.50"]


def test_the_committed_card_has_the_limits_that_the_command_writes():
    assert (MODELS / "model-card.md").read_text(encoding="utf-8").endswith(f"\n\n{limits_section(simulated=True)}\n")


def test_a_bar_in_a_text_does_not_end_its_cell():
    assert markdown_table(["treatment"], [["grass | herbicide"]]).splitlines()[2] == r"| grass \| herbicide |"


def test_the_rows_of_the_manifest_are_those_of_the_specification():
    rows = json.loads((MODELS / "manifest.json").read_text(encoding="utf-8"))["evidence"]
    assert len(rows) > 200
    for row in rows:
        assert list(row) == FIELDS
        assert row["use"] in ("conditioning", "held_out", "shown")
        assert row["horizon_years"] in (1, 2, 3, 4, 5)
        assert 0 <= row["observed"] <= 1
        assert row["low"] <= row["predicted"] <= row["high"]
        assert row["treatment"] is None or row["treatment"]


def test_the_caution_has_the_result_of_the_test(whole_grid):
    models = read_artefacts(MODELS)
    comparisons = compare_plantings(whole_grid, models, read_plantings())
    found = caution(models.manifest, comparisons)
    if models.manifest["outcomes"] == "simulated":
        assert models.manifest["caution"] == found
    trees = sum(planting.trees or 0 for planting in read_plantings())
    assert f"{trees:,} planted trees" in found
    # A planting of which levels are published may have several, and counts once.
    levels = sum(planting.trees is None and bool(values(planting.censuses)) for planting in read_plantings())
    assert f" and on {levels} plantings with published levels: " in found


def test_the_rows_of_the_manifest_have_no_seeds_or_germinants():
    rows = json.loads((MODELS / "manifest.json").read_text(encoding="utf-8"))["evidence"]
    sources = {row["source"] for row in rows}
    assert not sources & {"eleoperret/MastingCollab", "Gashwiler 1971"}


def test_three_seeds_seldom_make_a_living_spot_and_740_make_the_published_one():
    # 1 - (1 - .0175 * .17)^n
    assert seeds.spot_survival(3) == pytest.approx(0.009, abs=0.001)
    assert seeds.spot_survival(740) == pytest.approx(0.89, abs=0.005)


def test_the_range_of_a_part_is_that_of_its_lognormal_prior():
    part = seeds.part("emergence")
    assert part.low * part.high == pytest.approx(part.central**2)
    assert part.holds(part.central)
    assert not part.holds(0.2)


def test_emergence_is_reduced_by_that_of_unsown_plots_and_has_a_rate_for_each_species():
    found = {(entry.species_code, entry.of): entry for entry in seeds.emergence()}
    sown = found["TSHE", "sown in the forest"]
    # 44 germinants on 40 plots, of which 0.067 a plot of 10 came unsown; 2012 is left out.
    assert sown.germinants == pytest.approx(44 - 0.7)
    assert 0.01 < found["PSME", "seed rain, viable"].rate < 0.04


def test_models_without_intervals_are_not_said_to_have_some_that_miss(tmp_path):
    models, manifest = tmp_path / "models", dict(read_artefacts(MODELS).manifest)
    manifest["methods"] = {"manual": {**manifest["methods"]["manual"], "file": str(MODELS / "manual.onnx")}}
    del manifest["methods"]["manual"]["intervals"]
    models.mkdir()
    (models / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert main(["evidence", "--models", str(models)]) == 0
    assert "How far the models err is unknown" in json.loads((models / "manifest.json").read_text())["caution"]
    document = (models / "evidence.md").read_text(encoding="utf-8")
    assert "(AileneKane/mora_transplant, 5 places): without intervals; year 1" in document
    assert not re.search(r"\bnan\b", document)


def test_sentences_on_the_result_are_not_written_of_models_that_they_do_not_fit(whole_grid):
    models = read_artefacts(MODELS)
    lives = Predicted(np.full(5, 0.6), None, None, "grid")
    comparisons = [replace(found, predicted=lives) for found in compare_plantings(whole_grid, models, read_plantings())]
    manifest = models.manifest | {"outcomes": "observed", "provenance": {}, "features": []}
    result = report(comparisons, manifest, OutsidePlaces(whole_grid), "").split("## How they are compared")[0]
    assert "No value beside an interval:\n\n- Mount Rainier (" in result
    assert "the northernmost place, where\nmost trees lived.\n\nRead it with care:" in result
    assert "- **The models were fitted without these plantings.**\n- **British" in result
    assert "- **No spot seeded by drone in the two states is among them.**\n\n" in result
    for claim in (
        "| 0 | 0 | 0 |",
        "0 of 0",
        "of their values inside",
        "too few to say",
        "flatters the models",
        "wide interval",
    ):
        assert claim not in result


def test_the_card_gets_the_caution_and_the_section_and_keeps_the_rest(tmp_path, whole_grid):
    models = read_artefacts(MODELS)
    comparisons = compare_plantings(whole_grid, models, read_plantings()[:5])
    card = tmp_path / "model-card.md"
    card.write_text(
        "# Title\n\n**Old caution.**\n\n## First\n\n**Bold.**\n\n" + SECTION + "\n\nOld.\n\n## Last\n\nEnd.\n"
    )
    write_into_card(card, models.manifest, comparisons)
    text = card.read_text()
    assert text.startswith(f"# Title\n\n**{models.manifest['caution']}**\n\n## First\n\n**Bold.**\n\n{SECTION}\n")
    assert text.endswith("not a seed.**\n\n## Last\n\nEnd.\n")
    assert "Old" not in text


def test_models_with_a_kept_method_are_not_both_called_simulated_and_observed_ones_not_at_all(tmp_path, whole_grid):
    models = read_artefacts(MODELS)
    provenance = models.manifest["provenance"] | {"kept": {"manual": {"outcomes": "simulated"}}}
    card = tmp_path / "model-card.md"
    card.write_text(f"# Title\n\n**Old caution.**\n\n{SECTION}\n\nOld.\n")
    comparisons = compare_plantings(whole_grid, models, read_plantings()[:5])
    manifest = models.manifest | {"caution": "Of two origins.", "provenance": provenance}
    write_into_card(card, manifest, comparisons)
    assert "**Of two origins.**" in card.read_text()
    assert "The models are trained on simulated outcomes" not in card.read_text()
    document = report(comparisons, manifest, OutsidePlaces(whole_grid), "")
    assert "## Result\n\nOf two origins. Tested on" in document
    assert "- **It is no independent test of the manual model.** Whoever set the sizes of the simulation" in document
    observed = manifest | {"outcomes": "observed", "provenance": {}}
    document = report(comparisons, observed, OutsidePlaces(whole_grid), "")
    assert "- **The models were fitted without these plantings.**" in document
    assert "Whoever set the sizes" not in document
    document = report(comparisons, observed | {"outcomes": "calibrated"}, OutsidePlaces(whole_grid), "")
    assert "- **It is no independent test.** Whoever set the sizes of the simulation" in document
