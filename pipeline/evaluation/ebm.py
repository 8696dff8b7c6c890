"""Comparison with InterpretML's explainable boosting machine on the same first-year data and held-out blocks."""

from dataclasses import dataclass

import numpy as np
from interpret.glassbox import ExplainableBoostingClassifier
from scipy.special import logit

from pipeline.grid.arrow_file import Grid
from pipeline.models.features import FEATURE_NAMES
from pipeline.models.hazard import HazardModel
from pipeline.outcomes.periods import PeriodCounts


@dataclass(frozen=True)
class EbmComparison:
    """Mean first-year deviance per tree (negative log likelihood) on held-out blocks; `best` is the true process."""

    ours: float
    boosting: float
    best: float


def compare_with_ebm(
    grid: Grid, seen: PeriodCounts, unseen: PeriodCounts, model: HazardModel, truth: np.ndarray, seed: int
) -> EbmComparison:
    """Fit an EBM with a curve and a feature-by-species surface per feature, and score it and `model`.

    `truth` is the simulated first-year survival [rows] of `unseen`.
    """
    features = grid.features(FEATURE_NAMES)
    species = len(FEATURE_NAMES)
    machine = ExplainableBoostingClassifier(
        feature_types=["continuous"] * species + ["nominal"],
        interactions=[(feature, species) for feature in range(species)],
        outer_bags=1,
        n_jobs=1,
        random_state=seed,
    )
    rows, died, trees = _trees(features, seen)
    machine.fit(rows, died, sample_weight=trees)
    rows, died, trees = _trees(features, unseen)
    present = _present(unseen)
    ours, best = (
        np.tile(-logit(survival), 2)[present]
        for survival in (model.survival(features[unseen.point], unseen.species)[:, 0], truth)
    )
    return EbmComparison(
        ours=_deviance(ours, died, trees),
        boosting=_deviance(machine.decision_function(rows), died, trees),
        best=_deviance(best, died, trees),
    )


def _trees(features: np.ndarray, counts: PeriodCounts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows of dead and of living trees of year 1 with their numbers."""
    rows = np.column_stack([features[counts.point], counts.species])
    died = np.repeat([1, 0], len(counts.point))
    present = _present(counts)
    return np.vstack([rows, rows])[present], died[present], _numbers(counts)[present]


def _numbers(counts: PeriodCounts) -> np.ndarray:
    return np.concatenate([counts.died[:, 0], counts.at_risk[:, 0] - counts.died[:, 0]])


def _present(counts: PeriodCounts) -> np.ndarray:
    return _numbers(counts) > 0


def _deviance(predictor: np.ndarray, died: np.ndarray, trees: np.ndarray) -> float:
    return float((trees * (np.logaddexp(0, predictor) - died * predictor)).sum() / trees.sum())
