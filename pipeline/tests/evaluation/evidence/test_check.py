"""Lines of the data on plantings that cannot be compared are refused by file, line and value."""

import shutil

import pandas as pd
import pytest

from pipeline.evaluation.evidence.check import EvidenceError, check_evidence
from pipeline.evaluation.evidence.columns import COLUMNS
from pipeline.evaluation.evidence.plantings import DATA

PLANTING = {"source": "Own", "place": "Ridge", "species_code": "PSME", "planting_method": "manual", "years": "1"}
SEEDS = {"source": "Own", "species_code": "PSME", "seeds": "100"}
LINES = {
    "plantings.csv": PLANTING | {"treatment": "sprayed", "planted": "50", "alive": "40"},
    "places.csv": {"source": "Own", "place": "Ridge", "latitude": "44.1", "longitude": "-122"},
    "treatments.csv": {"source": "Own", "treatment": "sprayed", "vegetation_control": "1"},
    "sources.csv": {"source": "Own", "where": "a ridge"},
    "redcedar.csv": {"place": "Ridge", "species_code": "THPL", "seed_zone": "own", "years": "1", "planted": "75"}
    | {"alive": "70", "dead": "5", "missing": "0"},
    "sown_seeds.csv": SEEDS | {"place": "Ridge", "germinants": "40", "natural_germinants": "0.5"},
    "greenhouse.csv": SEEDS | {"seed_origin": "Ridge", "germinated": "40"},
    "seed_rain.csv": {"source": "Own", "place": "Ridge", "species_code": "PSME", "quadrats_m2": "9"}
    | {"germinants": "4", "trap_m2": "0.5", "viable_seeds": "80"},
    "germinants.csv": {"source": "Own", "place": "Ridge", "species_code": "PSME", "years": "1", "survival": "0.17"},
}
LEVEL = {"planted": "", "alive": "", "survival_low": "0.6", "survival_high": "0.7"}


@pytest.fixture
def directory(tmp_path):
    for name in COLUMNS:
        shutil.copyfile(DATA / name, tmp_path / name)
    return tmp_path


def add(directory, name, cells):
    table = pd.read_csv(directory / name, dtype=str, keep_default_na=False)
    added = pd.DataFrame([dict.fromkeys(table.columns, "") | cells])
    pd.concat([table, added]).to_csv(directory / name, index=False)
    return len(table) + 2


def problem_of(directory, changed, cells):
    """Add a planting with one changed line, and return what its check says and the line's number."""
    for name, line in LINES.items():
        number = add(directory, name, line | cells if name == changed else line)
        if name == changed:
            changed_line = number
    with pytest.raises(EvidenceError) as raised:
        check_evidence(directory)
    return str(raised.value), changed_line


@pytest.mark.parametrize("cells", [{}, LEVEL, {"left_out": "why", "years": "", "species_code": "PSME and TSHE"}])
def test_a_planting_with_its_place_treatment_and_source_is_accepted(directory, cells):
    for name, line in LINES.items():
        add(directory, name, line | cells if name == "plantings.csv" else line)
    check_evidence(directory)


@pytest.mark.parametrize(
    ("name", "cells", "what"),
    [
        (
            "plantings.csv",
            LEVEL | {"survival_low": "62", "survival_high": "0.7"},
            "survival_low must be a number from 0 to 1 (a share, not a percentage), not '62'",
        ),
        ("plantings.csv", LEVEL | {"survival_low": "0.8"}, "survival_low must not be above survival_high: 0.8 and 0.7"),
        ("plantings.csv", LEVEL | {"survival_high": ""}, "survival_low and survival_high must both be given, or neith"),
        ("plantings.csv", {"alive": "51"}, "alive must not be above planted: 51 and 50"),
        ("plantings.csv", {"alive": ""}, "not {'planted': '50'}"),
        ("plantings.csv", {"alive": "40.5"}, "alive must be a whole number from 0 to 999999, not '40.5'"),
        (
            "plantings.csv",
            {"planted": "inf", "alive": "inf"},
            "planted must be a whole number from 1 to 999999, not 'inf'",
        ),
        ("plantings.csv", LEVEL | {"bound": "bound"}, "a bound must have survival_low 0 or survival_high 1"),
        ("plantings.csv", {"bound": "bound"}, "a bound must have survival_low 0 or survival_high 1"),
        ("plantings.csv", LEVEL | {"planted": "50"}, "must have planted and alive, or survival_low and"),
        ("plantings.csv", {"planted": "", "alive": ""}, "or survival_low and survival_high, not neither"),
        ("plantings.csv", {"years": ""}, "years must be given, or left_out say why they are not"),
        ("plantings.csv", {"years": "two"}, "years must be a number from 0.01 to 200, not 'two'"),
        ("plantings.csv", {"species_code": "PSMF"}, "species_code must be a code of data/species.json, not 'PSMF'"),
        ("plantings.csv", {"planting_method": "plane"}, "must be manual or drone_seeded, not 'plane'"),
        ("plantings.csv", {"bound": "yes"}, "bound must be empty or 'bound', not 'yes'"),
        ("plantings.csv", {"place": "Rigde"}, "places.csv must have a line for 'Own', 'Rigde'"),
        ("sources.csv", {"where": ""}, "where must not be empty"),
        ("places.csv", {"latitude": "144"}, "latitude must be a number from -90 to 90, not '144'"),
        ("places.csv", {"longitude": ""}, "longitude must not be empty"),
        ("places.csv", {"elevation_low": "100"}, "elevation_low and elevation_high must both be given, or neither"),
        ("redcedar.csv", {"alive": "90"}, "alive must not be above planted: 90 and 75"),
        ("redcedar.csv", {"dead": "76"}, "dead must not be above planted: 76 and 75"),
        ("sown_seeds.csv", {"seeds": "many"}, "seeds must be a whole number from 0 to 999999, not 'many'"),
        ("greenhouse.csv", {"germinated": "101"}, "germinated must not be above seeds: 101 and 100"),
        ("seed_rain.csv", {"trap_m2": "", "viable_seeds": ""}, "trap_m2 must not be empty"),
        (
            "germinants.csv",
            {"survival": "17"},
            "survival must be a number from 0 to 1 (a share, not a percentage), not '17'",
        ),
        ("treatments.csv", {"overstory_cover": "120"}, "overstory_cover must be a number from 0 to 100, not '120'"),
        ("treatments.csv", {"treatment": "spraid"}, "no planting of 'Own' has the treatment 'spraid'"),
    ],
)
def test_a_wrong_line_is_named_with_its_value_and_what_would_be_right(directory, name, cells, what):
    message, line = problem_of(directory, name, cells)
    assert message.startswith(f"{directory / name}: line {line}: ")
    assert what in message


def test_a_source_without_a_line_and_a_place_with_two_are_named(directory):
    message, _ = problem_of(directory, "sources.csv", {"source": "Another"})
    assert "sources.csv must have a line for 'Own'" in message
    line = add(directory, "places.csv", LINES["places.csv"])
    with pytest.raises(EvidenceError, match=rf"places.csv: line {line}: source and place are those of an earlier line"):
        check_evidence(directory)


def test_lines_of_a_planting_have_one_number_of_planted_trees_and_one_a_census(directory):
    add(directory, "plantings.csv", LINES["plantings.csv"] | {"years": "2"})
    add(directory, "plantings.csv", LINES["plantings.csv"] | {"years": "1.0", "alive": "10"})
    message, line = problem_of(directory, "plantings.csv", {"planted": "60"})
    assert f"line {line}: source and place and species_code and planting_method and treatment and years are" in message
    assert f"line {line}: planted must be the same in every line of a planting: '50' and '60'" in message


def test_a_missing_column_and_a_missing_file_are_named(directory):
    table = pd.read_csv(directory / "places.csv").drop(columns="note")
    table.to_csv(directory / "places.csv", index=False)
    with pytest.raises(EvidenceError, match=r"places\.csv: no column note; it must have source, place, latitude,"):
        check_evidence(directory)
    (directory / "plantings.csv").unlink()
    with pytest.raises(EvidenceError, match=r"plantings\.csv: cannot be read as CSV: "):
        check_evidence(directory)
