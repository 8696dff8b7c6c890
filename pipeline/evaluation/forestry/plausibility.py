"""Plausibility checks of a forester: known species orderings, a published sample, the gap between the methods."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pipeline.evaluation.graph import GraphModel
from pipeline.grid.arrow_file import Grid
from pipeline.models.features import FEATURE_NAMES, FEATURES
from pipeline.outcomes.intercepts import PUBLISHED_SITE, PUBLISHED_SPECIES
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.species import species_codes

ORDERINGS = Path(__file__).with_name("orderings.csv")
TOP_FACTORS = 3
SPREAD = 7
"""Shares use every nth point in the order of rows, so that points of a row fall on different columns."""
# Below this first-year survival nobody plants, and a single factor may exceed the survival itself.
PLAUSIBLE_SURVIVAL = 0.6


@dataclass(frozen=True)
class Ordering:
    """A site where one species must outlive another by year 5, and the factors that must count against the other.

    Neighbours have no factors: the worse of two may do well at a site, too.
    """

    site: str
    latitude: float
    longitude: float
    better: str
    worse: str
    factors: tuple[str, ...]
    why: str
    source: str


@dataclass(frozen=True)
class OrderingResult:
    """Five-year survival of both, planted by hand, and the harmful factors among the top three of the worse one."""

    ordering: Ordering
    better_survival: float
    worse_survival: float
    named: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the order is right and an expected factor is named, if any is expected."""
        expected = set(self.ordering.factors)
        return self.better_survival > self.worse_survival and (not expected or bool(expected & set(self.named)))


def orderings() -> list[Ordering]:
    """Return the table of orderings."""
    rows = pd.read_csv(ORDERINGS, keep_default_na=False).to_dict("records")
    return [Ordering(**{**row, "factors": tuple(filter(None, row["factors"].split("|")))}) for row in rows]


def check_ordering(grid: Grid, model: GraphModel, ordering: Ordering) -> OrderingResult:
    """Return the result of an ordering at the grid point nearest to its site."""
    point = grid.nearest(ordering.latitude, ordering.longitude)
    species = np.array([species_codes().index(code) for code in (ordering.better, ordering.worse)])
    features = np.repeat(grid.features(FEATURE_NAMES)[point : point + 1], 2, axis=0)
    survival = model.survival(features, species)[:, -1]
    against = model.contributions(features, species)[1, -1, : len(FEATURES)]
    top = np.argsort(-np.abs(against), kind="stable")[:TOP_FACTORS]
    named = tuple(FEATURES[index].label for index in top if against[index] < 0)
    return OrderingResult(ordering, float(survival[0]), float(survival[1]), named)


def published_sample(grid: Grid, model: GraphModel) -> tuple[np.ndarray, np.ndarray]:
    """Return survival [horizons] and contributions [horizons, features] at the published site and species."""
    point = grid.nearest(*PUBLISHED_SITE)
    species = np.array([species_codes().index(PUBLISHED_SPECIES)])
    features = grid.features(FEATURE_NAMES)[point : point + 1]
    return model.survival(features, species)[0], model.contributions(features, species)[0]


def spread_features(grid: Grid) -> np.ndarray:
    """Return the features [points, features] of one grid point in :data:`SPREAD`."""
    return grid.features(FEATURE_NAMES)[::SPREAD]


def survival_everywhere(grid: Grid, model: GraphModel) -> np.ndarray:
    """Return survival [species, points, horizons] at one grid point in :data:`SPREAD`."""
    features = spread_features(grid)
    return np.stack([model.survival(features, np.full(len(features), index)) for index in range(len(species_codes()))])


def method_gap(grid: Grid, models: dict[str, GraphModel]) -> np.ndarray:
    """Return manual minus drone-seeded survival [species, points, horizons]."""
    manual, drone_seeded = (survival_everywhere(grid, models[method]) for method in METHODS)
    return manual - drone_seeded


def top_magnitudes(grid: Grid, model: GraphModel) -> np.ndarray:
    """Return the magnitude of the first factor [species, points, horizons]."""
    features = spread_features(grid)
    return np.stack(
        [
            np.abs(model.contributions(features, np.full(len(features), index))).max(axis=2)
            for index in range(len(species_codes()))
        ]
    )
