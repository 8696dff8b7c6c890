"""Fit a recalibration of the hazards to a table of outcomes, and score it on blocks to which it was not fitted.

The likelihood is that of the discrete-time hazard model itself, over the trees at risk in each period; trees lost to
follow-up are at risk until then (`periods.tree_periods`).

A slope compares sites, and a few blocks have few independent sites: the fitted slope is drawn towards 1 as if
`SLOPE_BLOCKS` more blocks had one of 1. Only blocks with trees at risk in the period count. Where the fitted slope
would reverse the order of the sites, or none can be fitted, the level alone is: a whole period that dies more than
predicted says so whatever the order of its sites.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.evaluation.metrics import logistic_line
from pipeline.evaluation.observed.measures import LEVEL, MIN_BLOCKS, MIN_REPLICATES_ESTIMABLE, resampled
from pipeline.models.recalibration import Lines, hazard_logits
from pipeline.outcomes.periods import HORIZONS, MAX_UNPLACED, PERIOD_YEARS, is_too_many

MIN_TREES = 10
"""Minimum number of deaths, and of survivors, in a period to fit a line."""
SLOPE_BLOCKS = 5
UNPLACED = f"more than {MAX_UNPLACED:.0%} of its deaths may be of another period: no visit tells them apart"


@dataclass(frozen=True)
class PeriodTrees:
    """Trees of one method: logits of predicted hazards, at_risk and died [trees, periods], block and fold [trees].

    `unplaced` is `periods.unplaced` [trees, periods].
    """

    logits: np.ndarray
    at_risk: np.ndarray
    died: np.ndarray
    block: np.ndarray
    fold: np.ndarray
    unplaced: np.ndarray

    @staticmethod
    def of(survival, at_risk, died, block, fold, unplaced) -> "PeriodTrees":
        """Return the trees for predicted survival [trees, horizons]."""
        return PeriodTrees(hazard_logits(survival), at_risk, died, block, fold, unplaced)


def blocks_at_risk(trees: PeriodTrees, chosen: np.ndarray) -> list[int]:
    """Return for each period the number of blocks of the chosen trees that have trees at risk in it."""
    block = trees.block[chosen]
    return [len(np.unique(block[at_risk > 0])) for at_risk in trees.at_risk[chosen].T]


def fit_lines(
    trees: PeriodTrees, chosen: np.ndarray, blocks: list[int] | None = None
) -> tuple[Lines, list[str | None]]:
    """Fit a line for each period to chosen trees; return the lines, and why those that change nothing were not fitted.

    A reason is also given where only the intercept is fitted. `blocks` is :func:`blocks_at_risk`, by
    default of the chosen trees; a bootstrap sample has some blocks several times.
    """
    blocks = blocks_at_risk(trees, chosen) if blocks is None else blocks
    intercept, slope, why = np.zeros(len(HORIZONS)), np.ones(len(HORIZONS)), []
    for period in range(len(HORIZONS)):
        died = trees.died[chosen, period]
        lived = trees.at_risk[chosen, period] - died
        if is_too_many(trees.unplaced[chosen, period], died > 0):
            why.append(UNPLACED)
            continue
        if min(died.sum(), lived.sum()) < MIN_TREES:
            why.append(f"fewer than {MIN_TREES} trees died, or lived, in the period")
            continue
        fitted = logistic_line(trees.logits[chosen, period], died, lived)[1]
        ordered = np.isfinite(fitted) and fitted > 0
        kept = 1 + (fitted - 1) * blocks[period] / (blocks[period] + SLOPE_BLOCKS) if ordered else 1.0
        level = logistic_line(trees.logits[chosen, period], died, lived, slope=kept)[0]
        if not np.isfinite(level):
            why.append("the likelihood has no maximum")
            continue
        intercept[period], slope[period] = level, kept
        if ordered:
            why.append(None)
        elif np.isfinite(fitted):
            why.append(f"level only: the slope is {fitted:.2f}, which would reverse the order of the sites")
        else:
            why.append("level only: the likelihood of a slope has no maximum")
    return Lines(intercept, slope), why


def held_out_survival(trees: PeriodTrees, survival: np.ndarray) -> np.ndarray:
    """Return survival [trees, horizons], each fold of blocks recalibrated by lines fitted to the others.

    NaN from a period on of which the others have no line and all trees do, or the reverse: the scores would be those of
    another model.
    """
    applied = fit_lines(trees, np.ones(len(trees.fold), dtype=bool))[0].changes
    recalibrated = np.empty_like(survival, dtype=np.float64)
    for fold in np.unique(trees.fold):
        mine = trees.fold == fold
        lines, _ = fit_lines(trees, ~mine)
        differs = np.logical_or.accumulate(lines.changes != applied)
        recalibrated[mine] = np.where(differs, np.nan, lines.survival(survival[mine]))
    return recalibrated


def line_entries(trees: PeriodTrees, replicates: int, seed: int) -> list[dict]:
    """Return the fitted line of each period with intervals by a bootstrap of blocks, for the recalibration file."""
    everyone = np.ones(len(trees.block), dtype=bool)
    (lines, why), blocks = fit_lines(trees, everyone), blocks_at_risk(trees, everyone)
    drawn_rows = resampled(trees.block, replicates, seed) if max(blocks) >= MIN_BLOCKS else ()
    draws = [fit_lines(trees, rows, blocks) for rows in drawn_rows]
    entries = []
    for period, horizon in enumerate(HORIZONS):
        entry = {
            "horizon_years": horizon,
            "from_year": horizon - PERIOD_YEARS[period],
            "at_risk": float(trees.at_risk[:, period].sum()),
            "died": float(trees.died[:, period].sum()),
            "intercept": float(lines.intercept[period]),
            "slope": float(lines.slope[period]),
            "unchanged_because": why[period],
        }
        fitted = [drawn for drawn, reasons in draws if reasons[period] is None]
        enough = len(fitted) > 0 and len(fitted) >= MIN_REPLICATES_ESTIMABLE * replicates
        if why[period] is None and enough and blocks[period] >= MIN_BLOCKS:
            for name in ("intercept", "slope"):
                values = [getattr(drawn, name)[period] for drawn in fitted]
                low, high = np.quantile(values, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
                entry |= {f"{name}_low": float(low), f"{name}_high": float(high)}
        entries.append(entry)
    return entries
