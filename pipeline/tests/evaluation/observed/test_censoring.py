"""Trees with yearly visits, so that deaths and last visits have tied times, some of them lost to follow-up."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score
from sksurv.nonparametric import kaplan_meier_estimator

from pipeline.evaluation.observed.censoring import auc, brier, follow_up, known_alive, known_dead, status_weights
from pipeline.outcomes.periods import HORIZONS

TREES = 100_000
LOST_A_YEAR = 0.15


@pytest.fixture(scope="module")
def chance():
    """The yearly survival probability of each tree."""
    return np.random.default_rng(1).uniform(0.6, 0.98, TREES)


@pytest.fixture(scope="module")
def death(chance):
    return np.random.default_rng(2).geometric(1 - chance)


@pytest.fixture(scope="module")
def trees(death):
    """Every tree is visited in year 1; a living one is lost after each visit with the same chance."""
    last_visit = np.random.default_rng(3).geometric(LOST_A_YEAR, TREES)
    years = np.minimum(death, last_visit)
    return follow_up(pd.DataFrame({"years_observed": years, "alive": (death > last_visit).astype(int)}))


@pytest.mark.parametrize("horizon", HORIZONS)
def test_lost_trees_bias_no_score(trees, death, chance, horizon):
    survival, lives = chance**horizon, death > horizon
    alive, _ = status_weights(trees, horizon)
    assert alive.sum() / TREES == pytest.approx(lives.mean(), abs=0.006)
    assert brier(trees, survival, horizon) == pytest.approx(np.mean((lives - survival) ** 2), abs=0.004)
    assert auc(trees, survival, horizon) == pytest.approx(roc_auc_score(lives, survival), abs=0.006)


@pytest.mark.parametrize("horizon", HORIZONS)
def test_the_weighted_share_alive_is_the_estimate_of_kaplan_and_meier(trees, horizon):
    alive, dead = status_weights(trees, horizon)
    time, survival = kaplan_meier_estimator(trees["event"], trees["time"])
    assert alive.sum() / TREES == pytest.approx(survival[time <= horizon + 0.25][-1], abs=1e-9)
    assert alive.sum() + dead.sum() == pytest.approx(TREES, rel=1e-9)


def test_the_status_at_a_horizon_is_known_of_trees_that_died_before_or_were_visited_since():
    trees = follow_up(pd.DataFrame({"years_observed": [1, 3, 1, 2, 3, 5, 9, 9], "alive": [0, 0, 1, 1, 1, 1, 1, 0]}))
    assert known_dead(trees, 3).tolist() == [True, True, False, False, False, False, False, False]
    assert known_alive(trees, 3).tolist() == [False, False, False, False, True, True, True, True]
    assert known_dead(trees, 5).tolist() == [True, True, False, False, False, False, False, False]
    assert known_alive(trees, 5).tolist() == [False, False, False, False, False, True, True, True]
