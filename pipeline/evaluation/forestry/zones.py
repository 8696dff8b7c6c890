"""Shares of grid points where species stand in an order that foresters would not accept, with a bound for each.

All are of survival to year 5 of trees planted by hand. A species counts where it is native by its range map, unless a
rule says *of all species*.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.evaluation.forestry.plausibility import SPREAD
from pipeline.evaluation.graph import GraphModel
from pipeline.grid.arrow_file import Grid
from pipeline.models.features import FEATURE_NAMES
from pipeline.outcomes.crest import west_of_crest
from pipeline.outcomes.species import species_codes

COAST_LONGITUDE = -123.7


@dataclass(frozen=True)
class Rule:
    """A measured quantity, its value, and the bound that it must not exceed."""

    text: str
    value: float
    bound: float

    @property
    def holds(self) -> bool:
        """Whether the value is within the bound."""
        return self.value <= self.bound


@dataclass(frozen=True)
class Stands:
    """Survival and native [species, points] at one grid point in `SPREAD`, with masks and elevations [points]."""

    survival: np.ndarray
    native: np.ndarray
    west: np.ndarray
    elevation: np.ndarray
    precipitation: np.ndarray
    coast: np.ndarray
    frost_flat: np.ndarray

    def of(self, code: str) -> np.ndarray:
        """Return the survival [points] of a species."""
        return self.survival[species_codes().index(code)]

    def has(self, code: str) -> np.ndarray:
        """Return whether a species is native [points]."""
        return self.native[species_codes().index(code)]

    def share_above(self, code: str, other: str, where: np.ndarray) -> float:
        """Return the share of the points with both species where the first survives better."""
        chosen = where & self.has(code) & self.has(other)
        return float((self.of(code) > self.of(other))[chosen].mean())

    def better_than(self, code: str, among: np.ndarray) -> np.ndarray:
        """Return the number [points] of species `among` [species, points] that survive better than one."""
        return ((self.survival > self.of(code)) & among).sum(axis=0)

    def worse_than(self, code: str) -> np.ndarray:
        """Return the number [points] of native species that survive worse than one."""
        return ((self.survival < self.of(code)) & self.native).sum(axis=0)

    def mean(self, code: str, low: float, high: float, where: np.ndarray) -> float:
        """Return the mean survival of a species at its native points from `low` to `high` metres."""
        chosen = where & self.has(code) & (self.elevation >= low) & (self.elevation <= high)
        return float(self.of(code)[chosen].mean())


def stands(grid: Grid, model: GraphModel) -> Stands:
    """Return the survival of every species over the grid."""
    points = np.arange(0, len(grid.latitude), SPREAD)
    features = grid.features(FEATURE_NAMES)[points]
    latitude, longitude = grid.latitude[points], grid.longitude[points]
    elevation, slope = grid.columns["elevation"][points], grid.columns["slope"][points]
    species = range(len(species_codes()))
    # The pumice plateau east of the crest, from Chemult to La Pine.
    plateau = (np.abs(latitude - 43.3) < 0.7) & (np.abs(longitude + 121.6) < 0.4) & (np.abs(elevation - 1450) < 200)
    west = west_of_crest(latitude, longitude)
    return Stands(
        np.stack([model.survival(features, np.full(len(points), index))[:, -1] for index in species]),
        np.stack([grid.in_range(index)[points] for index in species]),
        west,
        elevation,
        grid.columns["precipitation_annual"][points],
        west & (longitude < COAST_LONGITUDE) & (elevation < 500),
        plateau & (slope < 2),
    )


def zone_rules(of: Stands) -> list[Rule]:
    """Return the rules with their values."""
    west, east, high = of.west, ~of.west, of.elevation
    everywhere = np.ones_like(west)
    low_west = west & (high < 600)
    all_species, native = np.ones_like(of.native), of.native
    wet_lowland = west & (high < 500) & (of.precipitation > 1500)

    def first(code: str, among: np.ndarray) -> np.ndarray:
        return of.better_than(code, among) == 0

    return [
        Rule("POTR above ABAM, west above 1,200 m", of.share_above("POTR", "ABAM", west & (high > 1200)), 0.10),
        Rule("PSME above TSME, above 1,500 m", of.share_above("PSME", "TSME", high > 1500), 0.25),
        Rule("ABAM last or second last", _share(of.worse_than("ABAM") < 2, of.has("ABAM")), 0.10),
        Rule("FRLA first on the coast", _share(first("FRLA", native), of.coast & of.has("FRLA")), 0.10),
        Rule("ARME above TSHE on the coast", of.share_above("ARME", "TSHE", of.coast), 0.10),
        Rule("QUGA above TSHE in wet lowlands", of.share_above("QUGA", "TSHE", wet_lowland), 0.25),
        Rule(
            "PICO in the first three of all species, west below 600 m",
            _share(of.better_than("PICO", all_species) < 3, low_west),
            0.10,
        ),
        Rule("PIPO above PICO on pumice frost flats", of.share_above("PIPO", "PICO", of.frost_flat), 0.10),
        Rule("LAOC first of all species, west", _share(first("LAOC", all_species), west), 0.05),
        Rule("JUOC first, east", _share(first("JUOC", native), east & of.has("JUOC")), 0.25),
        Rule(
            "THPL at 1,100 to 1,500 m less below 500 m",
            of.mean("THPL", 1100, 1500, everywhere) - of.mean("THPL", -100, 500, everywhere),
            0.0,
        ),
        Rule(
            "PSME at 1,400 to 1,900 m less at 200 to 900 m, west",
            of.mean("PSME", 1400, 1900, west) - of.mean("PSME", 200, 900, west),
            -0.04,
        ),
    ]


def _share(holds: np.ndarray, where: np.ndarray) -> float:
    return float(holds[where].mean())
