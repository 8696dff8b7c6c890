"""Predictions on held-out one-degree blocks, to which the model was not fitted (Roberts et al. 2017)."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from tqdm import tqdm

from pipeline.grid.arrow_file import Grid
from pipeline.models.basis import Knots
from pipeline.models.features import FEATURE_NAMES
from pipeline.models.hazard import fit_methods
from pipeline.outcomes.periods import PERIOD_NAMES, PeriodCounts
from pipeline.outcomes.simulation import Truth
from pipeline.outcomes.table import OutcomesError

FOLDS = 5
MIN_TREES = 10
"""Minimum number of trees that died, and of trees that lived, in each period of a method to train on."""


@dataclass(frozen=True)
class HeldOut:
    """Rows of a method with survival [rows, horizons] predicted by a model fitted without their block."""

    counts: PeriodCounts
    survival: np.ndarray


def block_names(grid: Grid) -> np.ndarray:
    """Return the one-degree block of each point [points] as 1000 x latitude + longitude of its south-west corner."""
    return np.floor(grid.latitude).astype(int) * 1000 + np.floor(grid.longitude).astype(int)


def block_folds(grid: Grid, planted: np.ndarray, seed: int) -> np.ndarray:
    """Return the fold [points] of each point's one-degree block; the blocks of planted points are shared out evenly.

    Points of other blocks have fold -1.
    """
    blocks = block_names(grid)
    names = np.unique(blocks[planted])
    folds = np.random.default_rng(seed).permutation(np.arange(len(names)) % FOLDS)
    return pd.Series(folds, names).reindex(blocks, fill_value=-1).to_numpy()


def check_trainable(counts: dict[str, PeriodCounts], folds: np.ndarray) -> None:
    """Raise OutcomesError, naming method and period, if there are too few trees to fit and to hold out a fold."""
    for method, trees in counts.items():
        fold = folds[trees.point]
        for period, dead, alive in zip(PERIOD_NAMES, trees.died.T, (trees.at_risk - trees.died).T, strict=True):
            if min(dead.sum(), alive.sum()) < MIN_TREES:
                raise OutcomesError(
                    f"too few trees to train {method}: {dead.sum():g} died and {alive.sum():g} lived in {period}; "
                    f"at least {MIN_TREES} of each are needed"
                )
            for fate, number in (("died", dead), ("lived", alive)):
                if number.sum() - np.bincount(fold, number).max() < 1:
                    raise OutcomesError(
                        f"too few places to train {method}: all trees that {fate} in {period} lie in one-degree blocks "
                        f"of one of the {FOLDS} folds, which could not be held out; trees in other blocks are needed"
                    )


def held_out_predictions(
    grid: Grid, counts: dict[str, PeriodCounts], knots: Knots, folds: np.ndarray, truth: Truth | None = None
) -> dict[str, HeldOut]:
    """Refit without each fold and predict it; every row of the outcomes is predicted once."""
    features = grid.features(FEATURE_NAMES)
    survival = {method: np.zeros_like(of_method.at_risk) for method, of_method in counts.items()}
    for fold in tqdm(range(FOLDS), desc="held-out blocks"):
        seen = {method: of_method.of_points(folds != fold) for method, of_method in counts.items()}
        models = fit_methods(grid, seen, knots, truth)
        for method, model in models.items():
            mine = folds[counts[method].point] == fold
            rows = features[counts[method].point[mine]]
            survival[method][mine] = model.survival(rows, counts[method].species[mine])
    return {method: HeldOut(of_method, survival[method]) for method, of_method in counts.items()}
