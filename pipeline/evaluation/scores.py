"""Score held-out predictions, of all species and of each, and the best possible predictions if known."""

import numpy as np
import pandas as pd

from pipeline.evaluation.blocks import HeldOut
from pipeline.evaluation.metrics import score, status_weights
from pipeline.grid.arrow_file import Grid
from pipeline.outcomes.periods import HORIZONS, PeriodCounts
from pipeline.outcomes.species import species_codes

# With fewer trees a calibration slope is meaningless.
MIN_TREES = 200


def reported_scores(scores: pd.DataFrame) -> list[dict]:
    """Return overall scores for the manifest, with the decimals of the model card; null where one is not defined."""
    return [
        {
            "planting_method": row.method,
            "horizon_years": row.horizon,
            "auc": _rounded(row.auc, 3),
            "brier": _rounded(row.brier, 4),
            "calibration_slope": _rounded(row.slope, 3),
            "expected_calibration_error": _rounded(row.ece, 4),
        }
        for row in scores.itertuples()
    ]


def _rounded(value: float, decimals: int) -> float | None:
    return None if np.isnan(value) else round(value, decimals)


def native_rows(grid: Grid, counts: PeriodCounts) -> np.ndarray:
    """Return which rows have their grid point inside the native range of the species, bool [rows]."""
    return (grid.native_ranges[counts.point] >> counts.species.astype(np.uint32) & np.uint32(1)).astype(bool)


def overall_scores(
    held_out: dict[str, HeldOut], best: dict[str, np.ndarray] | None, chosen: dict[str, np.ndarray] | None = None
) -> pd.DataFrame:
    """Return one row per method and horizon, of all rows or of those `chosen`, bool [rows] by method.

    A method without a chosen row is left out.
    """
    rows = []
    for method, predictions in held_out.items():
        used = chosen[method] if chosen else np.ones(len(predictions.counts.point), dtype=bool)
        if used.any():
            rows += [{"method": method, **scores} for scores in _scores(predictions, best and best[method], used)]
    return pd.DataFrame(rows)


def species_scores(predictions: HeldOut, best: np.ndarray | None) -> pd.DataFrame:
    """Return one row per species and horizon of one method; species with few trees are left out."""
    rows = []
    for index, code in enumerate(species_codes()):
        chosen = predictions.counts.species == index
        if predictions.counts.at_risk[chosen, 0].sum() < MIN_TREES:
            continue
        rows += [{"species": code, **scores} for scores in _scores(predictions, best, chosen)]
    return pd.DataFrame(rows)


def _scores(predictions: HeldOut, best: np.ndarray | None, chosen: np.ndarray) -> list[dict]:
    counts = predictions.counts
    rows = PeriodCounts(counts.point[chosen], counts.species[chosen], counts.at_risk[chosen], counts.died[chosen])
    alive, dead = status_weights(rows)
    found = []
    for column, horizon in enumerate(HORIZONS):
        ours = score(alive[:, column], dead[:, column], predictions.survival[chosen, column])
        entry = {"horizon": horizon, **vars(ours)}
        if best is not None:
            possible = score(alive[:, column], dead[:, column], best[chosen, column])
            error = predictions.survival[chosen, column] - best[chosen, column]
            entry |= {
                "best_brier": possible.brier,
                "best_auc": possible.auc,
                "best_ece": possible.ece,
                "rmse": float(np.sqrt(np.mean(error**2))),
            }
        found.append(entry)
    return found
