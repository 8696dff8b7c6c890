"""The fate of seeds: emergence of sown seeds and of seed rain, and the first years of germinants.

A seed, a germinant and a sown spot with at least one seedling are three things. These rates are those of the parts of
which a spot is made, and are not compared with the drone-seeded model.
"""

import math
from dataclasses import dataclass, fields

import pandas as pd
from scipy.special import ndtri

from pipeline.evaluation.evidence.plantings import DATA
from pipeline.outcomes.world import World

MIN_SEEDS = 100
"""Minimum number of seeds of a place; with fewer, rates are chance."""


@dataclass(frozen=True)
class Emergence:
    """Germinants per seed of a species, over all places; ``of`` says which seeds are counted."""

    source: str
    species_code: str
    of: str
    seeds: float
    germinants: float
    lowest: float
    highest: float

    @property
    def rate(self) -> float:
        """Germinants per seed."""
        return self.germinants / self.seeds


def emergence() -> list[Emergence]:
    """Return the emergence of sown seeds and of natural seed rain by species; ends are of single places."""
    return [*_sown(), *_seed_rain()]


def _sown() -> list[Emergence]:
    """Return germinants per sown seed, minus those on unsown plots, and germination in a greenhouse."""
    sown = pd.read_csv(DATA / "sown_seeds.csv", keep_default_na=False)
    sown = sown[sown["left_out"] == ""]
    sown = sown.assign(own=sown["germinants"] - sown["natural_germinants"])
    greenhouse = pd.read_csv(DATA / "greenhouse.csv").rename(columns={"seed_origin": "place"})
    return [
        *_by_species(sown, "own", "seeds", "sown in the forest"),
        *_by_species(greenhouse, "germinated", "seeds", "sown in a greenhouse"),
    ]


def _seed_rain() -> list[Emergence]:
    """Return germinants per viable seed of the same ground; the traps catch what falls on their area."""
    rain = pd.read_csv(DATA / "seed_rain.csv")
    rain = rain.assign(seeds=rain["viable_seeds"] / rain["trap_m2"] * rain["quadrats_m2"])
    return _by_species(rain, "germinants", "seeds", "seed rain, viable")


def _by_species(table: pd.DataFrame, germinants: str, seeds: str, of: str) -> list[Emergence]:
    found = []
    for (source, species), rows in table.groupby(["source", "species_code"]):
        places = rows.groupby("place")[[germinants, seeds]].sum()
        rates = (places[germinants] / places[seeds])[places[seeds] >= MIN_SEEDS].clip(0)
        if len(rates):
            totals = rows[[seeds, germinants]].sum()
            found.append(Emergence(source, species, of, *map(float, totals), float(rates.min()), float(rates.max())))
    return found


def germinants() -> pd.DataFrame:
    """Return survival of single germinants: source, place, species_code, years, survival, remark."""
    return pd.read_csv(DATA / "germinants.csv", keep_default_na=False)


@dataclass(frozen=True)
class Part:
    """A part of a spot in the simulation: central value, and the 80 % range of its prior."""

    central: float
    low: float
    high: float

    def holds(self, rate: float) -> bool:
        """Return whether an observed rate lies in the range."""
        return self.low <= rate <= self.high


def part(name: str) -> Part:
    """Return a part of :class:`.World`, `emergence` or `germinant_survival`."""
    (size,) = (size for size in fields(World) if size.name == name)
    central, spread = size.default_factory(), math.exp(ndtri(0.9) * size.metadata["prior"].sd)
    return Part(central, central / spread, central * spread)


def spot_survival(seeds: float) -> float:
    """Return the chance that at least one of a pod's viable seeds lives through year 1, at the central rates."""
    return 1 - (1 - part("emergence").central * part("germinant_survival").central) ** seeds
