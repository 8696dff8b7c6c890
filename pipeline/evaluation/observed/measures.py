"""Scores of predicted survival for trees with known follow-up, and their intervals by a bootstrap of blocks."""

from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from pipeline.evaluation.metrics import calibration_error, logistic_line
from pipeline.evaluation.observed.censoring import auc, brier, known_alive, known_dead, status_weights
from pipeline.outcomes.periods import HORIZONS, MAX_UNPLACED, PERIOD_YEARS, is_too_many

MIN_FOR_CALIBRATION = 10
"""Minimum number of dead trees, and of living ones, for a calibration intercept, slope and error."""
MIN_BLOCKS = 8
"""Minimum number of followed blocks for an interval; with fewer than about 20, intervals are somewhat too narrow."""
MIN_REPLICATES_ESTIMABLE = 0.9
LEVEL = 0.95
SMALLEST_CHANCE = 1e-6
NO_DEATHS = "no tree is known to have died by then"
NO_SURVIVORS = "no tree is known to be alive then"
FEW_TREES = f"fewer than {MIN_FOR_CALIBRATION} trees known to be dead, or alive, then"
UNKNOWN_STATUS = f"of more than {MAX_UNPLACED:.0%} of the deaths no visit says whether they were before or after it"
NO_LINE = "the likelihood has no maximum"
MEASURES = ("observed", "auc", "brier", "calibration_intercept", "calibration_slope", "expected_calibration_error")
# Resampling adds noise that the calibration error counts as miscalibration, so it has no interval.
WITH_INTERVAL = MEASURES[:-1]


@dataclass(frozen=True)
class Trees:
    """Trees of one method: follow-up [trees], predicted survival [trees, horizons] and block [trees].

    `unknown` is `periods.unknown_status` [trees, horizons].
    """

    follow_up: np.ndarray
    survival: np.ndarray
    block: np.ndarray
    unknown: np.ndarray

    def __getitem__(self, chosen: np.ndarray) -> "Trees":
        """Return the trees that a mask or a list of positions chooses."""
        return Trees(self.follow_up[chosen], self.survival[chosen], self.block[chosen], self.unknown[chosen])

    def followed_blocks(self, column: int) -> int:
        """Return the number of blocks that say how many trees survive the period before the horizon in a column.

        They have a tree whose fate in that period is known, or all of their trees are known to have died before it.
        Blocks whose living trees were all lost before say nothing.
        """
        horizon = HORIZONS[column]
        known = known_alive(self.follow_up, horizon) | known_dead(self.follow_up, horizon)
        entered = known & ~known_dead(self.follow_up, horizon - PERIOD_YEARS[column])
        without_lost = np.setdiff1d(self.block, self.block[~known])
        return len(np.union1d(self.block[entered], without_lost))

    def is_estimable(self, column: int) -> bool:
        """Return whether it is known of nearly all dead trees whether they died by the horizon in a column."""
        return not is_too_many(self.unknown[:, column], known_dead(self.follow_up, HORIZONS[column]))


def measures(trees: Trees, column: int) -> tuple[dict[str, float], dict[str, str]]:
    """Return the scores at the horizon in a column, without those that cannot be estimated, and why they cannot."""
    horizon, predicted = HORIZONS[column], trees.survival[:, column]
    found = {"predicted": float(predicted.mean())}
    if not trees.is_estimable(column):
        return found, dict.fromkeys(MEASURES, UNKNOWN_STATUS)
    dead, alive = known_dead(trees.follow_up, horizon), known_alive(trees.follow_up, horizon)
    if not alive.any():
        # Survival is 0 if every tree is known to be dead; lost ones may live.
        known = {"observed": 0.0} if dead.all() else {}
        return found | known, {name: NO_SURVIVORS for name in MEASURES if name not in known}
    if not dead.any():
        return found | {"observed": 1.0}, dict.fromkeys(MEASURES[1:], NO_DEATHS)
    weight_alive, weight_dead = status_weights(trees.follow_up, horizon)
    found["observed"] = float(weight_alive.sum() / len(predicted))
    found["auc"] = auc(trees.follow_up, predicted, horizon)
    found["brier"] = brier(trees.follow_up, predicted, horizon)
    if min(dead.sum(), alive.sum()) < MIN_FOR_CALIBRATION:
        return found, dict.fromkeys(MEASURES[3:], FEW_TREES)
    found["expected_calibration_error"] = calibration_error(weight_alive, weight_dead, predicted)
    log_odds = logit(np.clip(predicted, SMALLEST_CHANCE, 1 - SMALLEST_CHANCE))
    lines = {
        "calibration_intercept": logistic_line(log_odds, weight_alive, weight_dead, slope=1.0)[0],
        "calibration_slope": logistic_line(log_odds, weight_alive, weight_dead)[1],
    }
    estimable = {name: value for name, value in lines.items() if np.isfinite(value)}
    return found | estimable, {name: NO_LINE for name in lines if name not in estimable}


def resampled(block: np.ndarray, replicates: int, seed: int):
    """Yield for each replicate the positions of the trees in a sample of all blocks, drawn with replacement."""
    generator = np.random.default_rng(seed)
    names, which = np.unique(block, return_inverse=True)
    order = np.argsort(which, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(which))[:-1])
    for _ in range(replicates):
        drawn = generator.integers(0, len(names), len(names))
        yield np.concatenate([members[index] for index in drawn])


def intervals(trees: Trees, column: int, replicates: int, seed: int) -> dict[str, tuple[float, float]]:
    """Return percentile intervals of the scores of :data:`WITH_INTERVAL`.

    There are none with fewer than MIN_BLOCKS followed blocks, and none of a score that more than a tenth of the
    replicates cannot estimate.
    """
    if replicates == 0 or trees.followed_blocks(column) < MIN_BLOCKS:
        return {}
    draws = [measures(trees[chosen], column)[0] for chosen in resampled(trees.block, replicates, seed)]
    found = {}
    for name in WITH_INTERVAL:
        values = [draw[name] for draw in draws if name in draw]
        if len(values) >= MIN_REPLICATES_ESTIMABLE * replicates:
            low, high = np.quantile(values, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
            found[name] = (float(low), float(high))
    return found
