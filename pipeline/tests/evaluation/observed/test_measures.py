from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pipeline.evaluation.observed.censoring import follow_up
from pipeline.evaluation.observed.curves import calibration_bins
from pipeline.evaluation.observed.measures import (
    FEW_TREES,
    MEASURES,
    MIN_BLOCKS,
    NO_DEATHS,
    NO_SURVIVORS,
    UNKNOWN_STATUS,
    Trees,
    intervals,
    measures,
    resampled,
)

BLOCKS = 40
TREES_A_BLOCK = 50


def trees_of(years, alive, survival, block=0):
    followed = follow_up(pd.DataFrame({"years_observed": years, "alive": alive}))
    survival = np.broadcast_to(np.asarray(survival, dtype=float).reshape(-1, 1), (len(followed), 3))
    return Trees(followed, survival, np.broadcast_to(block, len(followed)), np.zeros((len(followed), 3), dtype=bool))


@pytest.fixture(scope="module")
def complete():
    """Trees of blocks that differ, all followed for five years, with predictions that ignore the blocks."""
    generator = np.random.default_rng(5)
    block = np.repeat(np.arange(BLOCKS), TREES_A_BLOCK)
    shift = generator.normal(0, 0.8, BLOCKS)[block]
    logits = generator.normal(0.5, 1.0, len(block))
    alive = generator.random(len(block)) < 1 / (1 + np.exp(-logits - shift))
    return trees_of(np.where(alive, 5, 4), alive.astype(int), 1 / (1 + np.exp(-logits)), block)


def test_with_every_tree_followed_the_scores_are_the_plain_ones(complete):
    found, missing = measures(complete, 2)
    alive = complete.follow_up["time"] > 5
    assert found["observed"] == pytest.approx(alive.mean())
    assert found["brier"] == pytest.approx(np.mean((alive - complete.survival[:, 2]) ** 2))
    assert missing == {}


def test_the_width_of_an_interval_follows_from_the_spread_between_blocks(complete):
    low, high = intervals(complete, 2, replicates=400, seed=1)["observed"]
    alive = (complete.follow_up["time"] > 5).reshape(BLOCKS, TREES_A_BLOCK).mean(axis=1)
    standard_error = alive.std() / np.sqrt(BLOCKS)
    # 400 replicates give the width to about 10 percent.
    assert high - low == pytest.approx(2 * 1.96 * standard_error, rel=0.25)
    assert low < alive.mean() < high


def test_a_replicate_has_as_many_whole_blocks_as_the_data():
    block = np.array([7, 7, 7, 3, 9, 9])
    for rows in resampled(block, 20, seed=2):
        drawn = np.bincount(rows, minlength=6)
        assert len({*drawn[:3]}) == 1
        assert drawn[4] == drawn[5]
        assert drawn[0] + drawn[3] + drawn[4] == 3


def test_too_few_blocks_give_no_interval(complete):
    few = complete[complete.block < MIN_BLOCKS - 1]
    assert intervals(few, 2, replicates=20, seed=1) == {}
    assert intervals(complete[complete.block < MIN_BLOCKS], 2, replicates=20, seed=1) != {}


def lost_after_year_1(trees, chosen):
    """The same trees, of which those of the chosen ones that do not die in year 1 are lost after it."""
    years = np.where(chosen, 1, np.where(trees.follow_up["event"], trees.follow_up["time"], 5))
    alive = np.where(chosen, np.arange(len(years)) % 10 > 0, ~trees.follow_up["event"])
    return trees_of(years, alive.astype(int), trees.survival[:, 0], trees.block)


def test_blocks_whose_living_trees_were_lost_before_the_period_do_not_count(complete):
    for followed, given in ((MIN_BLOCKS - 1, False), (MIN_BLOCKS, True)):
        trees = lost_after_year_1(complete, complete.block >= followed)
        assert (intervals(trees, 2, replicates=20, seed=1) != {}) == given
        assert ("low" in calibration_bins(trees, 2, replicates=20, seed=1)[-1]) == given
        assert intervals(trees, 0, replicates=20, seed=1) != {}


def test_blocks_in_which_every_tree_died_before_the_period_count(complete):
    early = complete.block >= 2
    years = np.where(early, 1, np.where(complete.follow_up["event"], 4, 5))
    alive = (~early & ~complete.follow_up["event"]).astype(int)
    trees = trees_of(years, alive, complete.survival[:, 0], complete.block)
    assert trees.followed_blocks(2) == BLOCKS


def test_without_deaths_only_survival_is_estimated_and_the_rest_says_why():
    found, missing = measures(trees_of([5] * 30, [1] * 30, np.linspace(0.1, 0.9, 30)), 2)
    assert found == pytest.approx({"predicted": 0.5, "observed": 1.0})
    assert missing == dict.fromkeys(MEASURES[1:], NO_DEATHS)


def test_without_a_tree_known_to_be_alive_at_the_horizon_nothing_is_estimated():
    found, missing = measures(trees_of([1] * 30, [1, 0] * 15, np.linspace(0.1, 0.9, 30)), 1)
    assert found == pytest.approx({"predicted": 0.5})
    assert missing == dict.fromkeys(MEASURES, NO_SURVIVORS)


def test_without_survivors_or_lost_trees_survival_is_0_and_the_rest_says_why():
    found, missing = measures(trees_of([1] * 30, [0] * 30, np.linspace(0.1, 0.9, 30)), 1)
    assert found == pytest.approx({"predicted": 0.5, "observed": 0.0})
    assert missing == dict.fromkeys(MEASURES[1:], NO_SURVIVORS)


def test_with_few_deaths_calibration_is_not_estimated():
    found, missing = measures(trees_of([5] * 30, [1] * 27 + [0] * 3, np.linspace(0.9, 0.1, 30)), 2)
    assert found["auc"] == 1.0
    assert set(missing.values()) == {FEW_TREES}


def test_nothing_is_estimated_where_many_deaths_may_be_before_or_after_the_horizon(complete):
    died = complete.follow_up["event"]

    def estimated(share):
        unknown = died & (np.cumsum(died) <= share * died.sum())
        return measures(replace(complete, unknown=np.column_stack([~died, ~died, unknown])), 2)

    assert estimated(0.05)[1] == {}
    found, missing = estimated(0.06)
    assert list(found) == ["predicted"]
    assert missing == dict.fromkeys(MEASURES, UNKNOWN_STATUS)


def test_predictions_that_separate_the_dead_from_the_living_have_no_slope():
    found, missing = measures(trees_of([5] * 40, [1] * 20 + [0] * 20, np.linspace(0.9, 0.1, 40)), 2)
    assert "calibration_slope" not in found
    assert "calibration_slope" in missing
    assert found["calibration_intercept"] == pytest.approx(0, abs=1e-6)
