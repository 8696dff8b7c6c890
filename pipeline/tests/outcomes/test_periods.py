import numpy as np
import pandas as pd
import pytest

from pipeline.outcomes.periods import period_counts
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
