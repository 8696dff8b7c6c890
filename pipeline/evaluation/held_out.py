"""The evaluation of models on held-out blocks, which the manifest and the model card both report."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pipeline.evaluation.blocks import HeldOut, block_folds, held_out_predictions
from pipeline.evaluation.scores import native_rows, overall_scores
from pipeline.grid.arrow_file import Grid
from pipeline.models.basis import Knots
from pipeline.outcomes.periods import PeriodCounts
from pipeline.outcomes.simulation import Truth

FOLD_SEED = 5


@dataclass(frozen=True)
class Evaluation:
    """Fold of each point [points], held-out predictions and best possible survival [rows, horizons] by method.

    ``best`` is None for observed outcomes. ``scores`` and ``native_scores`` have a row per method and horizon,
    the latter of trees inside the native range of their species.
    """

    folds: np.ndarray
    held_out: dict[str, HeldOut]
    best: dict[str, np.ndarray] | None
    scores: pd.DataFrame
    native_scores: pd.DataFrame

    @property
    def reported(self) -> pd.DataFrame:
        """The scores for the manifest: inside native ranges, or of all trees if a method or year has none there."""
        is_complete = len(self.native_scores) == len(self.scores) and self.native_scores["brier"].notna().all()
        return self.native_scores if is_complete else self.scores


def training_folds(grid: Grid, counts: dict[str, PeriodCounts]) -> np.ndarray:
    """Return the fold of each point's block [points]."""
    return block_folds(grid, np.concatenate([trees.point for trees in counts.values()]), FOLD_SEED)


def evaluate(grid: Grid, truth: Truth | None, counts: dict[str, PeriodCounts], knots: Knots) -> Evaluation:
    """Refit without each fold of blocks, and score the predictions of it; `truth` is None for observed outcomes."""
    folds = training_folds(grid, counts)
    held_out = held_out_predictions(grid, counts, knots, folds, truth)
    best = truth and {method: truth.survival(method, trees.species, trees.point) for method, trees in counts.items()}
    native = {method: native_rows(grid, trees) for method, trees in counts.items()}
    everywhere, inside = overall_scores(held_out, best), overall_scores(held_out, best, native)
    return Evaluation(folds, held_out, best, everywhere, inside)
