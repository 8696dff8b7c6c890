"""The 31 trees of the models: names for callers, tolerances for the simulation."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

TABLE = Path(__file__).with_name("species.csv")


@dataclass(frozen=True)
class Species:
    """One tree.

    Tolerances are ranks from 1 (least) to 5 (most) among Northwest trees, ranked after the tables and
    species accounts of Minore (1979) and Burns and Honkala (1990). A vigor is subtracted from the hazard logit of the
    species, as planting stock and as seed. The zone is the elevations of its stands west of the crest at 45 N (Burns
    and Honkala 1990; Franklin and Dyrness 1973). ``level_ground`` is the share, 0 to 1, by which it depends on level,
    moist ground, and ``frost_basin`` that by which it gains where cold air keeps others away, at no cost on slopes.
    """

    species_code: str
    common_name: str
    scientific_name: str
    group: str
    range_file: str
    drought_tolerance: int
    frost_tolerance: int
    shade_tolerance: int
    planting_vigor: float
    seeding_vigor: float
    zone_low_m: float
    zone_high_m: float
    level_ground: float
    frost_basin: float


@cache
def all_species() -> tuple[Species, ...]:
    """Return the species in the order of their codes, which is their index in the models."""
    rows = pd.read_csv(TABLE).sort_values("species_code").to_dict("records")
    return tuple(Species(**row) for row in rows)


def species_codes() -> list[str]:
    """Return the four-letter codes in model order."""
    return [species.species_code for species in all_species()]


def write_species_json(path: Path) -> None:
    """Write the public fields of each species as JSON, one record per line."""
    public = ("species_code", "common_name", "scientific_name", "group")
    records = [json.dumps({name: getattr(species, name) for name in public}) for species in all_species()]
    path.write_text("[\n  " + ",\n  ".join(records) + "\n]\n", encoding="utf-8")
