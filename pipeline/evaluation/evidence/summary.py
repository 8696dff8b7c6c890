"""The result of the comparison in figures: by source, and over all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pipeline.evaluation.evidence.predictions import Comparison
from pipeline.evaluation.evidence.scores import base_rate_score, coverage, log_score, values

FITS = 0.7
"""A source fits if at least this share of its observed values lies inside the 80 % intervals."""
MIN_VALUES = 3
"""Minimum number of values for a source to be judged."""


@dataclass(frozen=True)
class YearResult:
    """How the plantings of a source that were seen in a year compare; places of a source may have years of their own.

    `inside`, `below` and `above` count observed values by their position to the intervals, whose mean width is `width`;
    `observed` and `predicted` are mean survival to the year. `places` counts locations.
    """

    year: int
    places: int
    plantings: int
    trees: int
    inside: int
    below: int
    above: int
    width: float
    observed: float
    predicted: float

    @property
    def compared(self) -> int:
        """Observed values that were compared with an interval."""
        return self.inside + self.below + self.above


@dataclass(frozen=True)
class SourceResult:
    """How the plantings of a source compare, over all years and in each.

    `gain` is the log score minus that of the base rate, per planting; `on_grid` trees stand in the two states.
    """

    source: str
    plantings: int
    places: int
    trees: int
    on_grid: int
    gain: float
    width: float
    years: tuple[YearResult, ...]

    @property
    def inside(self) -> int:
        """Observed values inside their intervals."""
        return sum(year.inside for year in self.years)

    @property
    def below(self) -> int:
        """Observed values below their intervals."""
        return sum(year.below for year in self.years)

    @property
    def above(self) -> int:
        """Observed values above their intervals."""
        return sum(year.above for year in self.years)

    @property
    def compared(self) -> int:
        """Observed values that were compared with an interval."""
        return sum(year.compared for year in self.years)

    @property
    def share_inside(self) -> float:
        """Share of the values inside their interval; NaN without one."""
        return self.inside / self.compared if self.compared else float("nan")


@dataclass(frozen=True)
class Result:
    """The results of all sources that have a value, in the order of the files."""

    sources: list[SourceResult]

    @property
    def trees(self) -> int:
        """Planted trees that were counted."""
        return sum(source.trees for source in self.sources)

    @property
    def on_grid(self) -> int:
        """Planted trees that were counted in the two states."""
        return sum(source.on_grid for source in self.sources)

    @property
    def places(self) -> int:
        """Places where trees were counted."""
        return sum(source.places for source in self.sources if source.trees)

    @property
    def counted(self) -> int:
        """Plantings whose trees were counted."""
        return sum(source.plantings for source in self.sources if source.trees)

    @property
    def levels(self) -> int:
        """Plantings of which a level is published, without a number of trees."""
        return sum(source.plantings for source in self.sources if not source.trees)

    @property
    def inside(self) -> int:
        """Observed values inside their intervals."""
        return sum(source.inside for source in self.sources)

    @property
    def compared(self) -> int:
        """Observed values compared with an interval."""
        return sum(source.compared for source in self.sources)

    @property
    def mean_share_inside(self) -> float:
        """Share of values inside, each source counting the same."""
        return float(np.nanmean([source.share_inside for source in self.sources]))

    def fitting(self) -> list[SourceResult]:
        """Return the sources that fit."""
        return [source for source in self._judged() if source.share_inside >= FITS]

    def missing(self) -> list[SourceResult]:
        """Return the sources that do not fit."""
        return [source for source in self._judged() if source.share_inside < FITS]

    def unjudged(self) -> list[SourceResult]:
        """Return the sources with too few values to say whether they fit."""
        return [source for source in self.sources if 0 < source.compared < MIN_VALUES]

    def uncompared(self) -> list[SourceResult]:
        """Return the sources without a value beside an interval."""
        return [source for source in self.sources if not source.compared]

    def _judged(self) -> list[SourceResult]:
        return [source for source in self.sources if source.compared >= MIN_VALUES]


def summarise(comparisons: Sequence[Comparison]) -> Result:
    """Return the result of plantings; sources with bounds only are left out."""
    of_source = {}
    for comparison in comparisons:
        if values(comparison.planting.censuses):
            of_source.setdefault(comparison.planting.source, []).append(comparison)
    results = []
    for source, mine in of_source.items():
        others = [comparison for comparison in comparisons if comparison.planting.source != source]
        gains = [log_score(comparison) - base_rate_score(comparison, others) for comparison in mine]
        years = {census.year for comparison in mine for census in values(comparison.planting.censuses)}
        trees = [comparison.planting.trees or 0 for comparison in mine]
        on_grid = [comparison.predicted.found != "climate" for comparison in mine]
        results.append(
            SourceResult(
                source,
                len(mine),
                _places(mine),
                sum(trees),
                sum(count for count, here in zip(trees, on_grid, strict=True) if here),
                float(np.mean(gains)),
                _mean_width(mine),
                tuple(_year_result(mine, year) for year in sorted(years)),
            )
        )
    return Result(results)


def _year_result(comparisons: Sequence[Comparison], year: int) -> YearResult:
    """Return the result of the values of one year."""
    seen = []
    for comparison in comparisons:
        censuses = tuple(census for census in values(comparison.planting.censuses) if census.year == year)
        if censuses:
            seen.append(replace(comparison, planting=replace(comparison.planting, censuses=censuses)))
    trees = sum(comparison.planting.trees or 0 for comparison in seen)
    return YearResult(year, _places(seen), len(seen), trees, *coverage(seen), _mean_width(seen), *_means(seen, year))


def _places(comparisons: Sequence[Comparison]) -> int:
    return len({comparison.planting.location for comparison in comparisons})


def _mean_width(comparisons: Sequence[Comparison]) -> float:
    """Return the mean width of the intervals of observed values; NaN without any."""
    widths = [
        float(np.diff(comparison.predicted.interval[:, census.year - 1])[0])
        for comparison in comparisons
        if comparison.predicted.interval is not None
        for census in values(comparison.planting.censuses)
    ]
    return float(np.mean(widths)) if widths else float("nan")


def _means(comparisons: Sequence[Comparison], year: int) -> tuple[float, float]:
    """Return mean survival to the year of all values, observed and predicted, weighted by trees where counted."""
    rows = [
        (comparison.planting.trees or 1, census.survival, comparison.predicted.survival[year - 1])
        for comparison in comparisons
        for census in comparison.planting.censuses
    ]
    trees, observed, predicted = np.array(rows).T
    return float(np.average(observed, weights=trees)), float(np.average(predicted, weights=trees))
