"""Estimators for trees that are lost before a horizon, of scikit-survival.

They weight the trees of known status by the inverse probability of being followed (inverse probability of censoring
weights, Graf et al. 1999), estimated by Kaplan and Meier's estimator over the same trees.

Visits are in whole years, so deaths and last visits have tied times, and scikit-survival weights a death at year t by
the probability of being followed beyond t (its issue 428) instead of the probability of being visited in t. With a
living tree censored half a year after its last visit, before the next, and a horizon a quarter year after its visit,
the weights are the right ones.
"""

import numpy as np
import pandas as pd
from sksurv.metrics import brier_score, cumulative_dynamic_auc
from sksurv.nonparametric import CensoringDistributionEstimator
from sksurv.util import Surv

from pipeline.outcomes.periods import HORIZONS

UNTIL_CENSORED = 0.5
UNTIL_HORIZON = 0.25


def follow_up(outcomes: pd.DataFrame) -> np.ndarray:
    """Return scikit-survival's structured array [trees] of event (death) and time in years, to the last horizon.

    A tree found dead after the last horizon counts as alive there.
    """
    years = outcomes["years_observed"].to_numpy(dtype=np.float64)
    died = (outcomes["alive"].to_numpy() == 0) & (years <= HORIZONS[-1])
    return Surv.from_arrays(died, np.where(died, years, np.minimum(years, HORIZONS[-1]) + UNTIL_CENSORED))


def known_dead(trees: np.ndarray, horizon: int) -> np.ndarray:
    """Return which of the followed trees are known to be dead at the horizon, bool [trees]."""
    return trees["event"] & (trees["time"] <= horizon)


def known_alive(trees: np.ndarray, horizon: int) -> np.ndarray:
    """Return which of the followed trees are known to be alive at the horizon, bool [trees]."""
    return trees["time"] > horizon + UNTIL_HORIZON


def status_weights(trees: np.ndarray, horizon: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights [trees] of trees alive and of trees dead at the horizon; trees of unknown status have 0.

    The mean of all weights is 1, and the weighted share alive is Kaplan and Meier's estimate of survival.
    At least one tree must be known to be alive.
    """
    followed = CensoringDistributionEstimator().fit(trees)
    dead, alive = known_dead(trees, horizon), known_alive(trees, horizon)
    weight_alive = alive / followed.predict_proba(np.array([horizon + UNTIL_HORIZON]))[0]
    return weight_alive, np.where(dead, 1.0 / np.where(dead, followed.predict_proba(trees["time"]), 1.0), 0.0)


def auc(trees: np.ndarray, survival: np.ndarray, horizon: int) -> float:
    """Return the cumulative/dynamic AUC (Uno et al. 2007) of predicted survival [trees] to the horizon.

    At least one tree must be known to be dead and one to be alive.
    """
    return float(cumulative_dynamic_auc(trees, trees, 1.0 - survival, [horizon + UNTIL_HORIZON])[0][0])


def brier(trees: np.ndarray, survival: np.ndarray, horizon: int) -> float:
    """Return the Brier score (Graf et al. 1999) of predicted survival [trees] to the horizon; conditions as for AUC."""
    return float(brier_score(trees, trees, survival, [horizon + UNTIL_HORIZON])[1][0])
