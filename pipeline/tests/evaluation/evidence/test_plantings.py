"""The data on real plantings, and the census that counts for each year."""

import pandas as pd
import pytest

from pipeline.evaluation.evidence.plantings import DATA, compared_censuses, left_out_lines, read_plantings
from pipeline.evaluation.evidence.redcedar import REDCEDAR, redcedar_trees, redcedar_visits
from pipeline.outcomes.species import species_codes

PLANTINGS = read_plantings()


def lines(*rows):
    """Lines of one planting of 100 trees: years, alive, survival_low, survival_high and bound."""
    names = ["years", "alive", "survival_low", "survival_high", "bound"]
    return pd.DataFrame([dict(zip(names, row, strict=True)) for row in rows]).assign(planted=100.0)


def test_a_census_at_097_years_is_year_1_and_that_of_the_spring_before_is_not_used():
    (census,) = compared_censuses(lines((0.73, 90, None, None, ""), (0.97, 60, None, None, "")))
    assert (census.year, census.years, census.alive, census.survival) == (1, 0.97, 60, 0.6)


def test_a_census_far_from_every_whole_year_and_one_before_the_first_summer_are_not_compared():
    assert compared_censuses(lines((1.45, 90, None, None, ""), (0.3, 99, None, None, ""))) == ()


def test_a_level_after_year_5_is_a_lower_bound_of_year_5():
    (census,) = compared_censuses(lines((10.0, float("nan"), 0.696, 0.696, "")))
    assert (census.year, census.low, census.high, census.is_bound) == (5, 0.696, 1.0, True)


def test_an_open_end_is_a_bound_and_no_value():
    (census,) = compared_censuses(lines((2.0, float("nan"), 0.99, 1.0, "bound")))
    assert census.is_bound


def test_bounds_of_the_data_are_never_values():
    open_ended = [
        census
        for planting in PLANTINGS
        for census in planting.censuses
        if planting.trees is None and (census.low == 0 or census.high == 1)
    ]
    assert open_ended
    assert all(census.is_bound for census in open_ended)


def test_every_planting_is_of_a_species_of_the_models_and_its_survival_never_exceeds_what_was_planted():
    for planting in PLANTINGS:
        assert planting.species_code in species_codes()
        for census in planting.censuses:
            assert 0 <= census.low <= census.high <= 1
            assert 1 <= census.year <= 5


def test_counts_between_two_years_are_shown_with_their_share_and_the_reason(monkeypatch, tmp_path):
    line = "Own,Ridge,PSME,manual,,{},100,80,,,,\n"
    header = (DATA / "plantings.csv").read_text(encoding="utf-8").splitlines(keepends=True)[0]
    (tmp_path / "plantings.csv").write_text(header + line.format(1.5) + line.format(2) + line.format(0.3))
    monkeypatch.setattr("pipeline.evaluation.evidence.plantings.DATA", tmp_path)
    left = left_out_lines()
    assert left["years"].tolist() == [1.5, 0.3]
    assert left["survival_low"].tolist() == left["survival_high"].tolist() == [0.8, 0.8]
    reasons = ["more than 0.4 years from every whole year", "before the end of the first summer"]
    assert left["left_out"].tolist() == reasons


def test_a_line_that_is_left_out_has_a_reason_and_is_not_among_the_plantings():
    left = left_out_lines()
    assert (left["left_out"].str.len() > 10).all()
    assert "Cole, Newton and Bailey" not in {planting.source for planting in PLANTINGS}


def test_no_source_without_a_licence_has_rows_of_trees():
    table = pd.read_csv(DATA / "plantings.csv")
    key = ["source", "place", "species_code", "planting_method", "treatment", "years", "survival_low", "survival_high"]
    # One line a census of a planting: a line of one tree is a planting of one tree.
    assert not table.duplicated([*key, "bound"]).any()
    assert REDCEDAR not in set(table["source"])


def test_every_treatment_and_place_named_elsewhere_is_one_of_a_planting():
    known = {(planting.source, planting.treatment) for planting in PLANTINGS}
    treatments = pd.read_csv(DATA / "treatments.csv")
    named = set(zip(treatments["source"], treatments["treatment"], strict=True))
    assert named <= known


def test_a_redcedar_counts_as_alive_if_it_was_alive_at_a_later_visit():
    visits = redcedar_visits()
    of_tomanamus = visits[(visits["place"] == "Tomanamus Forest") & (visits["seed_zone"] == "Willamette Valley seed")]
    # The sheet has 74, 48 and 71 alive: 23 were not found in year 2.
    assert list(of_tomanamus["alive"]) == [74, 71, 71]
    assert (visits["missing"] >= 0).all()


def test_the_trees_of_the_redcedar_table_add_up_to_the_visits():
    trees, visits = redcedar_trees(), redcedar_visits()
    last = visits.groupby(["place", "seed_zone"]).last()
    found = trees.groupby(["place", "seed_zone"])
    assert (
        trees.query("alive == 1 and years_observed == 3").groupby(["place", "seed_zone"]).size() == last["alive"]
    ).all()
    died = found["alive"].apply(lambda alive: (alive == 0).sum())
    assert (died == last["dead"]).all()
    assert len(trees) == pytest.approx(351 - 19, abs=0)
