"""Scores of predicted survival on plantings: log score, coverage of the intervals, and order of stands."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, expit, gammaln, logit, logsumexp, ndtri
from scipy.stats import spearmanr

from pipeline.evaluation.evidence.plantings import Census, Planting
from pipeline.evaluation.evidence.predictions import Comparison

PLOT_SD = 0.83
"""Standard deviation of the logit between plots of a stand: Douglas-fir in British Columbia, by REML."""
TREES_PER_PLOT = 8
PLOT_CORRELATION = PLOT_SD**2 / (PLOT_SD**2 + np.pi**2 / 3)
"""Correlation of the fates of two trees of a plot, on the logistic scale."""
DESIGN_EFFECT = 1 + (TREES_PER_PLOT - 1) * PLOT_CORRELATION
"""A count of trees in plots has the information of a count of 2.2 times fewer independent trees."""
TREES_OF_LEVEL = 100
"""Assumed number of trees of a level that is published without it."""
BASE_DRAWS = 200
MIN_TREES = 20
"""Plantings of fewer trees are scored by likelihood only: for coverage and orders, chance weighs too much."""


@dataclass(frozen=True)
class Counted:
    """Alive trees of a planting at its censuses that are values, with the whole years [censuses]."""

    trees: int
    alive: tuple[int, ...]
    years: tuple[int, ...]


def counts_of(planting: Planting) -> Counted | None:
    """Return the counts of a planting, from its level if none are published; None if it has bounds only."""
    trees = planting.trees if planting.trees is not None else TREES_OF_LEVEL
    alive, years = [], []
    for census in values(planting.censuses):
        number = census.alive if census.alive is not None else round(census.survival * trees)
        # A later census may have more trees, because some were overlooked: it is cut to the earlier number.
        alive.append(min(number, alive[-1] if alive else trees))
        years.append(census.year)
    return Counted(trees, tuple(alive), tuple(years)) if alive else None


def values(censuses: Sequence[Census]) -> list[Census]:
    """Return the censuses that are values, not bounds."""
    return [census for census in censuses if not census.is_bound]


def correlation_of(trees: int) -> float:
    """Return the correlation between trees that gives a count of `trees` trees the design effect of its plots."""
    if trees < 2:
        return 0.0
    return min((DESIGN_EFFECT - 1) / (trees - 1), float(PLOT_CORRELATION))


def log_likelihood(counts: Counted, survival: np.ndarray) -> np.ndarray:
    """Return the log probability [draws] of the counts for survival [draws, years 1 to 5].

    From census to census the living trees are beta-binomial of those alive before.
    """
    total, before, reached = np.zeros(len(survival)), counts.trees, np.ones(len(survival))
    for alive, year in zip(counts.alive, counts.years, strict=True):
        share = survival[:, year - 1] / reached
        total += beta_binomial(alive, before, share, correlation_of(before))
        before, reached = alive, survival[:, year - 1]
    return total


def beta_binomial(alive: int, trees: int, share: np.ndarray, correlation: float) -> np.ndarray:
    """Return the log probability of `alive` of `trees` for expected shares, with a correlation between trees."""
    if trees == 0:
        return np.zeros_like(share)
    share = share.clip(1e-4, 1 - 1e-4)
    ways = gammaln(trees + 1) - gammaln(alive + 1) - gammaln(trees - alive + 1)
    if correlation == 0:
        return ways + alive * np.log(share) + (trees - alive) * np.log(1 - share)
    size = 1 / correlation - 1
    first, second = share * size, (1 - share) * size
    return ways + betaln(alive + first, trees - alive + second) - betaln(first, second)


def log_score(comparison: Comparison) -> float:
    """Return the log probability of the counts, averaged over the draws, each of one plot; NaN without either."""
    counts, draws = counts_of(comparison.planting), comparison.predicted.draws
    if counts is None or draws is None:
        return float("nan")
    return float(logsumexp(log_likelihood(counts, draws)) - np.log(len(draws)))


def base_rate_score(comparison: Comparison, others: Sequence[Comparison]) -> float:
    """Return the log score of a forecast that knows neither place nor species, only the plantings of other sources."""
    counts = counts_of(comparison.planting)
    if counts is None or not others:
        return float("nan")
    draws = base_rates(others)
    return float(logsumexp(log_likelihood(counts, draws)) - np.log(len(draws)))


def base_rates(comparisons: Sequence[Comparison]) -> np.ndarray:
    """Return survival [draws, years 1 to 5] of the mean planting of a source that is drawn from those of `comparisons`.

    The logits of yearly survival are normal over the sources, with the same score in all years.
    """
    shares = {}
    for comparison in comparisons:
        reached, since = 1.0, 0
        for census in values(comparison.planting.censuses):
            share = np.clip(min(census.survival, reached) / reached, 0.005, 0.995)
            for year in range(since, census.year):
                of_source = shares.setdefault(comparison.planting.source, {})
                # Few sources saw years 3 to 5: they are one period.
                of_source.setdefault(min(year, 2), []).append(share ** (1 / (census.year - since)))
            reached, since = max(min(census.survival, reached), 0.005), census.year
    scores = ndtri((np.arange(BASE_DRAWS) + 0.5) / BASE_DRAWS)
    yearly, means = [], np.zeros(0)
    for period in range(3):
        seen = logit([np.mean(years[period]) for years in shares.values() if period in years])
        # A period that fewer than two sources saw is like the one before.
        means = seen if len(seen) > 1 or not len(means) else means
        yearly.append(expit(means.mean() + (means.std(ddof=1) if len(means) > 1 else 1.0) * scores))
    return np.cumprod(np.column_stack([*yearly, yearly[2], yearly[2]]), axis=1)


def is_inside(census: Census, interval: np.ndarray) -> bool:
    """Return whether an observed value or range meets the interval [2, years] of its year."""
    low, high = interval[:, census.year - 1]
    return bool(census.high >= low and census.low <= high)


def coverage(comparisons: Sequence[Comparison]) -> tuple[int, int, int]:
    """Return how many observed values lie inside, below and above their intervals, of plantings of MIN_TREES."""
    inside = below = above = 0
    for comparison in comparisons:
        trees, interval = comparison.planting.trees, comparison.predicted.interval
        if interval is None or (trees is not None and trees < MIN_TREES):
            continue
        for census in values(comparison.planting.censuses):
            if is_inside(census, interval):
                inside += 1
            elif census.high < interval[0, census.year - 1]:
                below += 1
            else:
                above += 1
    return inside, below, above


def rank_correlation(observed: Sequence[float], predicted: Sequence[float]) -> float:
    """Return Spearman's correlation; NaN for fewer than four stands or without differences."""
    if len(observed) < 4 or np.ptp(observed) == 0 or np.ptp(predicted) < 1e-6:
        return float("nan")
    return float(spearmanr(np.round(observed, 6), np.round(predicted, 6)).statistic)
