import numpy as np
import pandas as pd
import pytest

from pipeline.outcomes.periods import period_counts, seen_alive, unknown_status, unplaced
from pipeline.outcomes.species import species_codes


def counts_of(years, alive):
    table = pd.DataFrame(
        {
            "species_code": ["PSME"],
            "planting_method": ["manual"],
            "years_observed": [years],
            "alive": [alive],
        }
    )
    counts = period_counts(table, np.array([7]), "manual")
    assert counts.point.tolist() == [7]
    assert counts.species.tolist() == [species_codes().index("PSME")]
    return counts.at_risk[0].tolist(), counts.died[0].tolist()


@pytest.mark.parametrize(
    ("years", "alive", "at_risk", "died"),
    [
        (1, 0, [1, 0, 0], [1, 0, 0]),
        (2, 0, [1, 1, 0], [0, 1, 0]),
        (3, 0, [1, 1, 0], [0, 1, 0]),
        (5, 0, [1, 1, 1], [0, 0, 1]),
        (8, 0, [1, 1, 1], [0, 0, 0]),
        (1, 1, [1, 0, 0], [0, 0, 0]),
        (2, 1, [1, 0.5, 0], [0, 0, 0]),
        (3, 1, [1, 1, 0], [0, 0, 0]),
        (9, 1, [1, 1, 1], [0, 0, 0]),
    ],
)
def test_a_tree_is_at_risk_in_the_periods_it_entered_and_dies_in_one(years, alive, at_risk, died):
    assert counts_of(years, alive) == (at_risk, died)


def test_trees_of_other_methods_and_without_a_point_are_left_out():
    table = pd.DataFrame(
        {
            "species_code": ["PSME"] * 3,
            "planting_method": ["manual", "drone_seeded", "manual"],
            "years_observed": [1, 1, 1],
            "alive": [0, 0, 0],
        }
    )
    counts = period_counts(table, np.array([3, 3, -1]), "manual")
    assert counts.died[:, 0].sum() == 1


def test_trees_of_one_point_and_species_are_added_up():
    table = pd.DataFrame(
        {
            "species_code": ["PSME"] * 4,
            "planting_method": ["manual"] * 4,
            "years_observed": [1, 1, 3, 5],
            "alive": [0, 0, 1, 1],
        }
    )
    counts = period_counts(table, np.zeros(4, dtype=int), "manual")
    assert counts.at_risk.tolist() == [[4, 2, 1]]
    assert counts.died.tolist() == [[2, 0, 0]]


def trees(*rows):
    """Trees planted by hand: years observed, alive and years alive."""
    columns = ["years_observed", "alive", "years_alive"]
    return pd.DataFrame(rows, columns=columns, dtype=float).assign(planting_method="manual")


def test_a_dead_tree_was_seen_alive_when_stated_else_in_the_visit_of_other_trees_before():
    nan = np.nan
    assert seen_alive(trees((1, 1, nan), (3, 0, nan), (5, 0, nan), (5, 0, 1), (5, 1, nan))).tolist() == [1, 1, 3, 1, 5]
    assert seen_alive(trees((5, 0, nan), (5, 1, nan), (10, 0, nan))).tolist() == [0, 5, 5]


@pytest.mark.parametrize(
    ("seen", "years", "periods", "horizons"),
    [
        (0, 1, [], []),
        (1, 3, [], []),
        (1, 2, [], []),
        (0, 2, [0, 1], [0]),
        (0, 3, [0, 1], [0]),
        (0, 5, [0, 1, 2], [0, 1]),
        (2, 4, [1, 2], [1]),
        (3, 8, [2], [2]),
        (0, 10, [0, 1, 2], [0, 1, 2]),
        (5, 10, [], []),
        (5, 5, [], []),
    ],
)
def test_a_death_between_two_visits_may_be_of_each_period_between_them(seen, years, periods, horizons):
    of_tree = np.array([years]), np.array([seen])
    assert np.flatnonzero(unplaced(*of_tree)[0]).tolist() == periods
    assert np.flatnonzero(unknown_status(*of_tree)[0]).tolist() == horizons
