"""Predictions on held-out one-degree blocks, to which the model was not fitted (Roberts et al. 2017)."""

from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from pipeline.grid.arrow_file import Grid
from pipeline.models.basis import Knots
from pipeline.models.features import FEATURE_NAMES
from pipeline.models.hazard import fit_methods
from pipeline.outcomes.periods import METHODS, PeriodCounts

FOLDS = 5


@dataclass(frozen=True)
class HeldOut:
    """Rows of a method with survival [rows, horizons] predicted by a model fitted without their block."""

    counts: PeriodCounts
    survival: np.ndarray


def block_folds(grid: Grid, seed: int) -> np.ndarray:
    """Return the fold [points] of each point's one-degree block."""
    blocks = np.floor(grid.latitude).astype(int) * 1000 + np.floor(grid.longitude).astype(int)
    names, which = np.unique(blocks, return_inverse=True)
    folds = np.random.default_rng(seed).permutation(np.arange(len(names)) % FOLDS)
    return folds[which]


def held_out_predictions(
    grid: Grid, counts: dict[str, PeriodCounts], knots: Knots, folds: np.ndarray
) -> dict[str, HeldOut]:
    """Refit without each fold and predict it; every row of the outcomes is predicted once."""
    features = grid.features(FEATURE_NAMES)
    survival = {method: np.zeros_like(counts[method].at_risk) for method in METHODS}
    for fold in tqdm(range(FOLDS), desc="held-out blocks"):
        models = fit_methods(grid, {method: counts[method].of_points(folds != fold) for method in METHODS}, knots)
        for method, model in models.items():
            mine = folds[counts[method].point] == fold
            rows = features[counts[method].point[mine]]
            survival[method][mine] = model.survival(rows, counts[method].species[mine])
    return {method: HeldOut(counts[method], survival[method]) for method in METHODS}
