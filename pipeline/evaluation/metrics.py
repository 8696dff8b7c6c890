"""Scores of survival predictions against trees alive and dead at each horizon."""

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from pipeline.outcomes.periods import PeriodCounts

ECE_BINS = 10


@dataclass(frozen=True)
class Scores:
    """Scores of one horizon; `trees` is their weighted number."""

    trees: float
    auc: float
    brier: float
    slope: float
    ece: float


def status_weights(counts: PeriodCounts) -> tuple[np.ndarray, np.ndarray]:
    """Return weights [rows, horizons] of trees alive and of trees dead at each horizon.

    A tree lost to follow-up before a horizon has no weight there, and the remaining trees have more: trees of a period
    are weighted by the inverse of the probability of being still followed (Graf et al. 1999), estimated over all rows.
    """
    survivors = counts.at_risk - counts.died
    kept = np.ones(counts.at_risk.shape[1])
    kept[1:] = counts.at_risk[:, 1:].sum(axis=0) / np.maximum(survivors[:, :-1].sum(axis=0), 1e-12)
    weight = 1.0 / np.cumprod(np.maximum(kept, 1e-12))
    return survivors * weight, np.cumsum(counts.died * weight, axis=1)


def score(alive: np.ndarray, dead: np.ndarray, predicted: np.ndarray) -> Scores:
    """Score predicted survival [rows] against the weights of living and dead trees [rows]."""
    outcome = np.repeat([1, 0], len(predicted))
    weight = np.concatenate([alive, dead])
    chance = np.clip(np.concatenate([predicted, predicted]), 1e-6, 1 - 1e-6)
    used = weight > 0
    outcome, weight, chance = outcome[used], weight[used], chance[used]
    total = weight.sum()
    if outcome.min() == outcome.max():
        auc = slope = float("nan")
    else:
        auc = roc_auc_score(outcome, chance, sample_weight=weight)
        logit = np.log(chance / (1 - chance)).reshape(-1, 1)
        slope = LogisticRegression(C=np.inf).fit(logit, outcome, sample_weight=weight / weight.mean()).coef_[0, 0]
    brier = float((weight * (outcome - chance) ** 2).sum() / total)
    return Scores(float(total), float(auc), brier, float(slope), calibration_error(alive, dead, predicted))


def calibration_curve(alive: np.ndarray, dead: np.ndarray, predicted: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return mean predicted, observed survival and trees of bins of equal numbers of trees."""
    order = np.argsort(predicted, kind="stable")
    trees = (alive + dead)[order]
    position = np.cumsum(trees) - trees / 2
    which = np.minimum((position / trees.sum() * ECE_BINS).astype(int), ECE_BINS - 1)
    number = np.bincount(which, trees, ECE_BINS)
    filled = number > 0
    expected = np.bincount(which, trees * predicted[order], ECE_BINS)[filled] / number[filled]
    observed = np.bincount(which, alive[order], ECE_BINS)[filled] / number[filled]
    return expected, observed, number[filled]


def calibration_error(alive: np.ndarray, dead: np.ndarray, predicted: np.ndarray) -> float:
    """Return the expected calibration error: the mean distance of the bins from the diagonal, by trees."""
    expected, observed, number = calibration_curve(alive, dead, predicted)
    return float((np.abs(expected - observed) * number).sum() / number.sum())
