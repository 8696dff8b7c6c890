"""The columns of the files of plantings and seeds, what their cells must be, and how they go together."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import pandas as pd

from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.practice import PRACTICES
from pipeline.outcomes.species import species_codes


@dataclass(frozen=True)
class Column:
    """What a cell that is not empty must be, in words and as a function, and whether it may be empty.

    A column that is `free_if_left_out` may be anything in lines that are shown only.
    """

    rule: str
    holds: Callable[[str], bool]
    may_be_empty: bool = False
    free_if_left_out: bool = False


def _number(low: float, high: float, hint: str = "", *, whole: bool = False, may_be_empty: bool = False) -> Column:
    def holds(cell: str) -> bool:
        number = pd.to_numeric(cell, errors="coerce")
        return bool(low <= number <= high and (not whole or number == int(number)))

    kind = "whole number" if whole else "number"
    return Column(f"must be a {kind} from {low:g} to {high:g}{hint}", holds, may_be_empty)


def _maybe(low: float, high: float, hint: str = "") -> Column:
    return _number(low, high, hint, may_be_empty=True)


def _one_of(values: Collection[str], rule: str, *, may_be_empty: bool = False) -> Column:
    return Column(rule, lambda cell: cell in values, may_be_empty, free_if_left_out=True)


_TEXT = Column("must be a text", lambda cell: True, may_be_empty=True)
_NAME = Column("must be a text", lambda cell: True)
_SPECIES = _one_of(species_codes(), "must be a code of data/species.json")
_ELEVATION, _YEARS = (-500, 9000), (0.01, 200)
_SHARE = (0, 1, " (a share, not a percentage)")
_COUNT = _number(0, 999_999, whole=True)
_MAYBE_COUNT = _number(0, 999_999, whole=True, may_be_empty=True)
COLUMNS = {
    "plantings.csv": {
        "source": _NAME,
        "place": _NAME,
        "species_code": _SPECIES,
        "planting_method": _one_of(METHODS, f"must be {' or '.join(METHODS)}"),
        "treatment": _TEXT,
        "years": _maybe(*_YEARS),
        "planted": _number(1, 999_999, whole=True, may_be_empty=True),
        "alive": _MAYBE_COUNT,
        "survival_low": _maybe(*_SHARE),
        "survival_high": _maybe(*_SHARE),
        "bound": _one_of(["bound"], "must be empty or 'bound'", may_be_empty=True),
        "left_out": _TEXT,
    },
    "places.csv": {
        "source": _NAME,
        "place": _NAME,
        "latitude": _number(-90, 90),
        "longitude": _number(-180, 180),
        "radius_km": _maybe(0.1, 1000),
        "elevation_m": _maybe(*_ELEVATION),
        "elevation_low": _maybe(*_ELEVATION),
        "elevation_high": _maybe(*_ELEVATION),
        "precipitation_annual": _maybe(1, 20_000),
        "temperature_min_january": _maybe(-60, 40),
        "temperature_max_july": _maybe(-60, 60),
        "note": _TEXT,
    },
    "treatments.csv": {
        "source": _NAME,
        "treatment": _NAME,
        **{practice.name: _maybe(practice.minimum, practice.maximum) for practice in PRACTICES},
        "reason": _TEXT,
    },
    "sources.csv": {
        "source": _NAME,
        "where": _NAME,
        "citation": _TEXT,
        "licence": _TEXT,
        "note": _TEXT,
        "trees_of_source": _MAYBE_COUNT,
    },
    "redcedar.csv": {
        "place": _NAME,
        "species_code": _SPECIES,
        "seed_zone": _NAME,
        "years": _number(*_YEARS),
        "planted": _number(1, 999_999, whole=True),
        "alive": _COUNT,
        "dead": _COUNT,
        "missing": _COUNT,
    },
    "sown_seeds.csv": {
        "source": _NAME,
        "place": _NAME,
        "species_code": _SPECIES,
        "seeds": _COUNT,
        "germinants": _COUNT,
        "natural_germinants": _number(0, 999_999),
        "left_out": _TEXT,
    },
    "greenhouse.csv": {
        "source": _NAME,
        "species_code": _SPECIES,
        "seed_origin": _NAME,
        "seeds": _COUNT,
        "germinated": _COUNT,
    },
    "seed_rain.csv": {
        "source": _NAME,
        "place": _NAME,
        "species_code": _SPECIES,
        "quadrats_m2": _number(0.01, 999_999),
        "germinants": _COUNT,
        "trap_m2": _number(0.01, 999_999),
        "viable_seeds": _COUNT,
    },
    "germinants.csv": {
        "source": _NAME,
        "place": _NAME,
        "species_code": _SPECIES,
        "years": _number(*_YEARS),
        "survival": _number(*_SHARE),
        "remark": _TEXT,
    },
}
"""The columns of each file."""
ENDS = (("survival_low", "survival_high"), ("elevation_low", "elevation_high"))
"""Columns that are given together."""
AT_MOST = (*ENDS, ("alive", "planted"), ("dead", "planted"), ("germinants", "seeds"), ("germinated", "seeds"))
"""Columns of which the first is at most the second."""
CENSUS = ["source", "place", "species_code", "planting_method", "treatment", "years"]
KEYS = {
    "plantings.csv": CENSUS,
    "places.csv": ["source", "place"],
    "treatments.csv": ["source", "treatment"],
    "sources.csv": ["source"],
    "redcedar.csv": ["place", "seed_zone", "years"],
}
"""Columns that distinguish the lines of a file."""
