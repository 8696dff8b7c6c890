"""Differences that the plantings of one source show: between stands, with elevation, and between treatments."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from pipeline.evaluation.evidence.predictions import Comparison
from pipeline.evaluation.evidence.scores import MIN_TREES, rank_correlation, values

CLEAR_PLOTS = "gap, understorey removed"
"""Mount Rainier: the plots most like a planting site."""


@dataclass(frozen=True)
class Stand:
    """Survival of a species in a stand in a whole year, observed and predicted, over its treatments."""

    source: str
    place: str
    species_code: str
    year: int
    trees: int
    observed: float
    predicted: float
    low: float
    high: float


def stands(comparisons: Sequence[Comparison], *, treatment: str | None = None) -> list[Stand]:
    """Return the stands with MIN_TREES counted trees, by source, species, place and year; of one treatment if named."""
    groups = {}
    for comparison in comparisons:
        planting = comparison.planting
        if planting.trees is None or (treatment is not None and planting.treatment != treatment):
            continue
        for census in values(planting.censuses):
            key = (planting.source, planting.species_code, planting.place, census.year)
            groups.setdefault(key, []).append((planting.trees, census.alive, comparison.predicted, census.year))
    found = []
    for (source, species, place, year), rows in groups.items():
        trees = np.array([row[0] for row in rows])
        if trees.sum() < MIN_TREES:
            continue
        predicted = np.average([row[2].survival[year - 1] for row in rows], weights=trees)
        ends = [(np.nan, np.nan) if row[2].interval is None else row[2].interval[:, year - 1] for row in rows]
        low, high = np.average(ends, axis=0, weights=trees)
        observed = sum(row[1] for row in rows) / trees.sum()
        found.append(Stand(source, place, species, year, int(trees.sum()), observed, float(predicted), low, high))
    return found


def order_of(found: Sequence[Stand], source: str, year: int, species: str | None = None) -> tuple[int, float]:
    """Return the number of stands of a source in a year and the rank correlation of observed with predicted."""
    chosen = [s for s in found if s.source == source and s.year == year and species in (None, s.species_code)]
    return len(chosen), rank_correlation([s.observed for s in chosen], [s.predicted for s in chosen])


def elevation_effects(
    found: Sequence[Stand], elevations: dict[tuple[str, str], float], source: str, year: int
) -> list[tuple[str, int, float, float]]:
    """Return species, stands, and the slopes of observed and predicted logit survival a km of elevation.

    Of species in three stands of a source or more.
    """
    effects = []
    for species in sorted({s.species_code for s in found if s.source == source}):
        chosen = [s for s in found if (s.source, s.year, s.species_code) == (source, year, species)]
        if len(chosen) < 3:
            continue
        height = [elevations[s.source, s.place] / 1000 for s in chosen]
        slopes = [
            float(np.polyfit(height, logit(np.clip(of_stands, 0.005, 0.995)), 1)[0])
            for of_stands in ([s.observed for s in chosen], [s.predicted for s in chosen])
        ]
        effects.append((species, len(chosen), *slopes))
    return effects


def treatment_effect(
    comparisons: Sequence[Comparison],
    source: str,
    year: int,
    pair_of: Callable[[str], tuple[str, int] | None],
) -> tuple[int, float, float]:
    """Return the number of pairs of plantings, and the mean observed and predicted differences of logit hazard.

    The hazard is that of dying by the year. `pair_of` names, for a treatment, the pair that it belongs to and whether
    it is the worse side (1) or the better (0). Counts get half a tree on each side, so that none is certain.
    """
    sides = {}
    for comparison in comparisons:
        planting = comparison.planting
        side = pair_of(planting.treatment)
        if planting.source != source or side is None:
            continue
        trees = planting.trees if planting.trees is not None else 100
        for census in values(planting.censuses):
            if census.year == year and trees >= MIN_TREES:
                observed = (census.survival * trees + 0.5) / (trees + 1)
                predicted = comparison.predicted.survival[year - 1]
                key = (planting.place, planting.species_code, side[0])
                sides.setdefault(key, {})[side[1]] = (-logit(observed), -logit(predicted))
    pairs = [np.subtract(both[1], both[0]) for both in sides.values() if len(both) == 2]
    if not pairs:
        return 0, float("nan"), float("nan")
    observed, predicted = np.mean(pairs, axis=0)
    return len(pairs), float(observed), float(predicted)
