"""Scores of survival predictions against trees alive and dead at each horizon."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit
from sklearn.metrics import roc_auc_score

from pipeline.outcomes.periods import PeriodCounts

ECE_BINS = 10
MAX_NEWTON_STEPS = 60
MAX_NEWTON_STEP = 3.0
NEWTON_TOLERANCE = 1e-9
MAX_CONDITION = 1e10


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
    """Score predicted survival [rows] against the weights of living and dead trees [rows]; NaN where undefined."""
    outcome = np.repeat([1, 0], len(predicted))
    weight = np.concatenate([alive, dead])
    chance = np.clip(np.concatenate([predicted, predicted]), 1e-6, 1 - 1e-6)
    used = weight > 0
    if not used.any():
        return Scores(0.0, *[float("nan")] * 4)
    outcome, weight, chance = outcome[used], weight[used], chance[used]
    total = weight.sum()
    if outcome.min() == outcome.max():
        auc = slope = float("nan")
    else:
        auc = roc_auc_score(outcome, chance, sample_weight=weight)
        slope = logistic_line(logit(chance), weight * outcome, weight * (1 - outcome))[1]
    brier = float((weight * (outcome - chance) ** 2).sum() / total)
    return Scores(float(total), float(auc), brier, float(slope), calibration_error(alive, dead, predicted))


def logistic_line(
    predictor: np.ndarray, ones: np.ndarray, zeros: np.ndarray, slope: float | None = None
) -> tuple[float, float]:
    """Fit logit P(1) = intercept + slope * predictor by maximum likelihood, and return both; NaN without an optimum.

    The arrays [rows] hold the predictor and the weights of the ones and of the zeros. A given slope is kept, and only
    the intercept is fitted, which scikit-learn's logistic regression cannot. There is no optimum if the predictor
    separates ones and zeros, or is constant.
    """
    free = np.array([True, slope is None])
    design = np.column_stack([np.ones_like(predictor), predictor])
    line = np.array([0.0, 0.0 if slope is None else slope])
    weight = ones + zeros
    for _ in range(MAX_NEWTON_STEPS):
        chance = expit(design @ line)
        gradient = design.T @ (ones - weight * chance)
        curvature = design.T @ (design * (weight * chance * (1 - chance))[:, None])
        if not np.linalg.cond(curvature[np.ix_(free, free)]) < MAX_CONDITION:
            break
        step = np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
        # A longer step can overshoot where the likelihood is flat.
        line[free] += step / max(1.0, float(np.abs(step).max()) / MAX_NEWTON_STEP)
        if np.abs(step).max() < NEWTON_TOLERANCE:
            return float(line[0]), float(line[1])
    return float("nan"), float("nan")


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
