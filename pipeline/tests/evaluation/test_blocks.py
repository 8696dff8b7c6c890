import numpy as np
import pytest

from pipeline.evaluation.blocks import FOLDS, block_folds, block_names, check_trainable
from pipeline.outcomes.periods import PeriodCounts
from pipeline.outcomes.table import OutcomesError

ROWS = 100


@pytest.fixture(scope="module")
def grid(thinned_grid):
    return thinned_grid()


def test_a_fold_is_of_whole_blocks_and_the_planted_blocks_are_shared_out_evenly(grid):
    blocks = block_names(grid)
    planted = np.flatnonzero(np.isin(blocks, np.unique(blocks)[10:22]))[::3]
    folds = block_folds(grid, planted, seed=1)
    fold_of = {name: set(folds[blocks == name]) for name in np.unique(blocks)}
    assert all(len(found) == 1 for found in fold_of.values())
    assert (folds[~np.isin(blocks, blocks[planted])] == -1).all()
    sizes = np.bincount([found.pop() for found in fold_of.values() if found != {-1}])
    assert len(sizes) == FOLDS
    assert sizes.max() - sizes.min() <= 1


def counts(point, died):
    at_risk = np.tile([1.0, 1.0, 1.0], (ROWS, 1))
    return {"manual": PeriodCounts(point, np.zeros(ROWS, dtype=int), at_risk, died)}


def some_died():
    died = np.zeros((ROWS, 3))
    died[:20, 0] = died[20:40, 1] = died[40:60, 2] = 1
    return died


def test_trees_of_all_periods_in_several_blocks_can_be_trained_on(grid):
    point = np.linspace(0, len(grid.latitude) - 1, ROWS).astype(int)
    check_trainable(counts(point, some_died()), block_folds(grid, point, seed=1))


@pytest.mark.parametrize(
    ("period", "deaths", "message"),
    [
        (0, 0, "too few trees to train manual: 0 died and 100 lived in year 1"),
        (1, 9, "too few trees to train manual: 9 died and 91 lived in years 2 to 3"),
        (2, 95, "too few trees to train manual: 95 died and 5 lived in years 4 to 5"),
    ],
)
def test_a_period_with_few_dead_or_living_trees_is_refused(grid, period, deaths, message):
    point = np.linspace(0, len(grid.latitude) - 1, ROWS).astype(int)
    died = some_died()
    died[:, period] = np.arange(ROWS) < deaths
    with pytest.raises(OutcomesError, match=message):
        check_trainable(counts(point, died), block_folds(grid, point, seed=1))


def test_trees_of_one_block_are_refused(grid):
    point = np.full(ROWS, 7)
    with pytest.raises(OutcomesError, match="too few places to train manual: all trees that died in year 1 lie in"):
        check_trainable(counts(point, some_died()), block_folds(grid, point, seed=1))


@pytest.mark.parametrize("fate", ["died", "lived"])
def test_trees_of_a_fate_and_period_that_lie_in_one_fold_are_refused(grid, fate):
    point = np.linspace(0, len(grid.latitude) - 1, ROWS).astype(int)
    folds, died = block_folds(grid, point, seed=1), some_died()
    died[:, 2] = (folds[point] == 2) == (fate == "died")
    for others in (0, 0.5):  # a tree that was lost in the period counts in part
        died[np.flatnonzero(folds[point] != 2)[0], 2] = others if fate == "died" else 1 - others
        with pytest.raises(OutcomesError, match=f"train manual: all trees that {fate} in years 4 to 5 lie in one-"):
            check_trainable(counts(point, died), folds)
