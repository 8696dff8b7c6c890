"""Checks of the files of plantings, so that a wrong line is named instead of compared or failing elsewhere."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.practice import PRACTICES
from pipeline.outcomes.species import species_codes
from pipeline.sources.manifest import SourceError

COLUMNS = {
    "plantings.csv": "source place species_code planting_method treatment years planted alive survival_low "
    "survival_high bound left_out",
    "places.csv": "source place latitude longitude radius_km elevation_m elevation_low elevation_high "
    "precipitation_annual temperature_min_january temperature_max_july note",
    "treatments.csv": "source treatment vegetation_control overstory_cover seeds_per_spot reason",
    "sources.csv": "source where citation licence note trees_of_source",
}
_RANGES = {
    "plantings.csv": {"years": (0.01, 200), "survival_low": (0, 1), "survival_high": (0, 1)},
    "places.csv": {
        "latitude": (-90, 90),
        "longitude": (-180, 180),
        "radius_km": (0.1, 1000),
        "elevation_m": (-500, 9000),
        "elevation_low": (-500, 9000),
        "elevation_high": (-500, 9000),
        "precipitation_annual": (1, 20_000),
        "temperature_min_january": (-60, 40),
        "temperature_max_july": (-60, 60),
    },
    "treatments.csv": {practice.name: (practice.minimum, practice.maximum) for practice in PRACTICES},
    "sources.csv": {},
}
"""Lowest and highest number of a column; a cell may be empty."""
_REQUIRED = ("latitude", "longitude", "where")
MAX_SHOWN = 20

Problem = tuple[str, int, str]
"""File, line and what is wrong with it."""


class EvidenceError(SourceError):
    """Files of plantings that cannot be used; the message has a line for each problem."""


def check_evidence(directory: Path) -> None:
    """Raise EvidenceError unless plantings.csv, places.csv, treatments.csv and sources.csv agree and can be compared.

    Lines of plantings with a reason in `left_out` are shown only, and need numbers in range.
    """
    tables = {name: _read(directory / name, columns.split()) for name, columns in COLUMNS.items()}
    problems = [problem for name, table in tables.items() for problem in _cells(name, table)]
    problems += _plantings(tables) + _names(tables)
    if problems:
        lines = [f"{directory / name}: line {line}: {what}" for name, line, what in problems[:MAX_SHOWN]]
        hidden = len(problems) - MAX_SHOWN
        raise EvidenceError("\n".join(lines + ([f"and {hidden} more"] if hidden > 0 else [])))


def _read(path: Path, columns: list[str]) -> pd.DataFrame:
    """Return the cells as texts, by the lines of the file."""
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise EvidenceError(f"{path}: cannot be read as CSV: {str(error).strip()}") from error
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise EvidenceError(f"{path}: no column {', '.join(missing)}; it must have {', '.join(columns)}")
    return table.set_axis(range(2, len(table) + 2))


def _cells(name: str, table: pd.DataFrame) -> Iterator[Problem]:
    for column, (low, high) in _RANGES[name].items():
        numbers = pd.to_numeric(table[column], errors="coerce")
        for line in table.index[(table[column] != "") & ~numbers.between(low, high)]:
            hint = " (a share, not a percentage)" if column.startswith("survival") else ""
            what = f"{column} must be a number from {low:g} to {high:g}{hint}, not {table[column][line]!r}"
            yield name, line, what
    for column in table.columns.intersection(_REQUIRED):
        for line in table.index[table[column] == ""]:
            yield name, line, f"{column} must not be empty"
    for low in table.columns.intersection(["survival_low", "elevation_low"]):
        high = low.replace("low", "high")
        for line in table.index[(table[low] == "") != (table[high] == "")]:
            yield name, line, f"{low} and {high} must both be given, or neither"
        for line in table.index[pd.to_numeric(table[low], "coerce") > pd.to_numeric(table[high], "coerce")]:
            yield name, line, f"{low} must not be above {high}: {table[low][line]} and {table[high][line]}"


def _plantings(tables: dict[str, pd.DataFrame]) -> list[Problem]:
    """Return the problems of the plantings that are compared."""
    table = tables["plantings.csv"]
    table = table[table["left_out"] == ""]
    places = set(zip(tables["places.csv"]["source"], tables["places.csv"]["place"], strict=True))
    sources = set(tables["sources.csv"]["source"])
    found, numbers_of = [], {}
    for line, row in zip(table.index, table.to_dict("records"), strict=True):
        rules = {
            f"species_code must be a code of data/species.json, not {row['species_code']!r}": (
                row["species_code"] in species_codes()
            ),
            f"planting_method must be {' or '.join(METHODS)}, not {row['planting_method']!r}": (
                row["planting_method"] in METHODS
            ),
            "years must be given, or left_out say why they are not": row["years"] != "",
            f"bound must be empty or 'bound', not {row['bound']!r}": row["bound"] in ("", "bound"),
            f"places.csv must have a line for {row['source']!r}, {row['place']!r}": (
                (row["source"], row["place"]) in places
            ),
            f"sources.csv must have a line for {row['source']!r}": row["source"] in sources,
            _counts_rule(row): _has_counts_or_level(row),
        }
        found += [("plantings.csv", line, rule) for rule, holds in rules.items() if not holds]
        key = tuple(row[name] for name in ("source", "place", "species_code", "planting_method", "treatment"))
        if numbers_of.setdefault(key, row["planted"]) != row["planted"]:
            what = f"planted must be the same in every line of a planting: {numbers_of[key]!r} and {row['planted']!r}"
            found.append(("plantings.csv", line, what))
    return found


def _counts_rule(row: dict[str, str]) -> str:
    given = {name: row[name] for name in ("planted", "alive", "survival_low", "survival_high") if row[name]}
    return (
        "must have planted (whole, 1 or more) and alive (whole, at most planted), or survival_low and survival_high, "
        f"not {given or 'neither'}"
    )


def _has_counts_or_level(row: dict[str, str]) -> bool:
    level = row["survival_low"] != ""
    if not row["planted"] and not row["alive"]:
        return level
    planted, alive = (pd.to_numeric(row[name], errors="coerce") for name in ("planted", "alive"))
    is_whole = np.floor(planted) == planted and np.floor(alive) == alive
    return bool(not level and is_whole and planted >= 1 and 0 <= alive <= planted)


def _names(tables: dict[str, pd.DataFrame]) -> list[Problem]:
    """Return lines of the same place, treatment or source, and treatments that no planting has."""
    keys = {"places.csv": ["source", "place"], "treatments.csv": ["source", "treatment"], "sources.csv": ["source"]}
    found = []
    for name, key in keys.items():
        for line in tables[name].index[tables[name].duplicated(key)]:
            found.append((name, line, f"{' and '.join(key)} are those of an earlier line"))
    pairs = tables["plantings.csv"][keys["treatments.csv"]].itertuples(index=False, name=None)
    planted, treatments = set(pairs), tables["treatments.csv"]
    for line, source, treatment in zip(treatments.index, treatments["source"], treatments["treatment"], strict=True):
        if (source, treatment) not in planted:
            found.append(("treatments.csv", line, f"no planting of {source!r} has the treatment {treatment!r}"))
    return found
