"""Read a table of observed outcomes: one row per tree, CSV or Parquet.

| column | meaning |
|---|---|
| latitude, longitude | degrees, WGS84 |
| species_code | a code of data/species.json |
| planting_method | manual or drone_seeded |
| planted_year | calendar year |
| years_observed | growing seasons from planting to the last visit, or to the one that found it dead; 1 or more |
| alive | 1 alive at that visit, 0 dead |
| years_alive | may be absent or empty: as many to the last visit that found the tree alive, 0 if none did |
| tree_id | may be absent or empty: the tree, of which another row at the same coordinates is refused |

Growing seasons are whole years, but a spring planting that is visited in its first autumn has 1: most deaths of the
first summer are found then. Other columns are ignored, those of practice too. A living tree is censored after its last
visit.
"""

import datetime
import difflib
import functools
import gzip
import io
import re
import zlib
from pathlib import Path

import numpy as np
import pandas as pd

from pipeline.grid.arrow_file import Grid
from pipeline.grid.points import SEARCH_RADIUS_KM
from pipeline.outcomes.periods import METHODS, match_points
from pipeline.outcomes.species import all_species, species_codes
from pipeline.sources.manifest import SourceError

COLUMNS = (
    "latitude",
    "longitude",
    "species_code",
    "planting_method",
    "planted_year",
    "years_observed",
    "alive",
)
YEARS_ALIVE = "years_alive"
TREE_ID = "tree_id"
OPTIONAL = (YEARS_ALIVE, TREE_ID)
ALIVE = {"1": 1, "1.0": 1, "true": 1, "0": 0, "0.0": 0, "false": 0}
SEASONS_BEYOND_YEARS = 1
"""By how many growing seasons may exceed the calendar years since planting: one, in the first autumn."""
MAX_ERRORS_SHOWN = 20
MAX_COLUMNS_SHOWN = 20


class OutcomesError(SourceError):
    """An outcomes table that cannot be used; the message has a line for each bad row."""


def read_outcomes(path: Path, grid: Grid) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the checked table and each row's grid point [rows]; OutcomesError lists every kind of bad row."""
    table = _read(path)
    twice = [column for column in (*COLUMNS, *OPTIONAL) if list(table.columns).count(column) > 1]
    if twice:
        raise OutcomesError(f"{path}: has the column {twice[0]} twice")
    missing = [column for column in COLUMNS if column not in table.columns]
    if missing:
        found = ", ".join(repr(str(column)) for column in table.columns[:MAX_COLUMNS_SHOWN])
        raise OutcomesError(f"{path}: no column {', '.join(missing)}; the columns of the table are {found}")
    if table.empty:
        raise OutcomesError(f"{path}: the table has no rows")
    given = table[[*COLUMNS, *table.columns.intersection(OPTIONAL)]]
    clean, problems = _checked(given)
    point = np.full(len(table), -1)
    placed = ~(problems["latitude"] | problems["longitude"])
    point[placed] = match_points(grid, clean["latitude"][placed].to_numpy(), clean["longitude"][placed].to_numpy())
    far = placed & (point < 0)
    messages = _messages(given, problems, far)
    if messages:
        count = "1 error" if len(messages) == 1 else f"{len(messages)} errors"
        raise OutcomesError("\n".join([f"{path}: {count}", *_shortened(messages)]))
    return clean.drop(columns=TREE_ID, errors="ignore"), point


def _read(path: Path) -> pd.DataFrame:
    """Return the rows with their number below the header, which counts lines without a value, too."""
    suffix = path.suffix.lower()
    is_parquet = suffix == ".parquet"
    try:
        if is_parquet:
            table = pd.read_parquet(path)
            return table.set_axis(range(1, len(table) + 1))
        with (gzip.open if suffix == ".gz" else open)(path, "rt", encoding="utf-8-sig") as file:
            text = re.sub(r"\A(?:[ \t]*\n)+", "", file.read())
        # Pandas would rename repeated columns of a header, and shift rows that have more values than it has names.
        lines = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False, header=None, skip_blank_lines=False)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        kind = "Parquet" if is_parquet else "CSV (UTF-8, commas between values)"
        raise OutcomesError(f"{path}: cannot be read as {kind}: {str(error).strip()}") from error
    has_value = lines.apply(lambda cells: cells.str.strip() != "").any(axis="columns")
    return lines[has_value][1:].set_axis(lines.iloc[0].tolist(), axis="columns")


def _checked(given: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Return the typed table (undefined where a cell is bad) and which cells are bad, bool [rows] by column."""
    numbers = {name: _numbers(given[name]) for name in ("latitude", "longitude", "planted_year", "years_observed")}
    given = given.assign(**{name: given[name].map(_stripped) for name in ("species_code", "planting_method")})
    alive = given["alive"].map(lambda cell: ALIVE.get(str(cell).strip().lower(), -1)).to_numpy(dtype=np.int64)
    problems = {
        "latitude": ~(np.abs(numbers["latitude"]) <= 90),
        "longitude": ~(np.abs(numbers["longitude"]) <= 180),
        "species_code": ~given["species_code"].isin(species_codes()).to_numpy(),
        "planting_method": ~given["planting_method"].isin(METHODS).to_numpy(),
        "planted_year": ~_whole(numbers["planted_year"], 1900, 2100),
        "years_observed": ~_whole(numbers["years_observed"], 1, 200),
        "alive": alive < 0,
    }
    last_visit = numbers["planted_year"] + numbers["years_observed"]
    problems["years_observed"] |= ~problems["planted_year"] & (
        last_visit > datetime.date.today().year + SEASONS_BEYOND_YEARS
    )
    seen = np.full(len(given), np.nan)
    if YEARS_ALIVE in given:
        seen = _numbers(given[YEARS_ALIVE])
        stated = ~(given[YEARS_ALIVE].isna() | (given[YEARS_ALIVE].astype(str).str.strip() == "")).to_numpy()
        right = np.where(alive == 1, seen == numbers["years_observed"], seen < numbers["years_observed"])
        problems[YEARS_ALIVE] = stated & ~(_whole(seen, 0, 200) & right)
    if TREE_ID in given:
        problems[TREE_ID] = _first_row_of_tree(given).to_numpy() < given.index.to_numpy()
    return given.assign(**numbers, alive=alive, **{YEARS_ALIVE: seen}), problems


def _first_row_of_tree(given: pd.DataFrame) -> pd.Series:
    """Return the number of the first row of each row's tree, whose id holds at its coordinates; NaN without an id."""
    tree = given[TREE_ID].map(_stripped).replace("", np.nan)
    place = [_numbers(given[name]) for name in ("latitude", "longitude")]
    return given.index.to_series().groupby([tree, *place]).transform("min")


def _stripped(cell: object) -> object:
    return cell.strip() if isinstance(cell, str) else cell


def _numbers(column: pd.Series) -> np.ndarray:
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64)


def _whole(values: np.ndarray, minimum: int, maximum: int) -> np.ndarray:
    return (values >= minimum) & (values <= maximum) & (np.floor(values) == values)


RULES = {
    "latitude": "must be a number from -90 to 90",
    "longitude": "must be a number from -180 to 180",
    "planting_method": f"must be {' or '.join(METHODS)}",
    "planted_year": "must be a year from 1900 to 2100",
    "years_observed": "must be growing seasons since planting, 1 (first autumn) to 200, that have taken place",
    "alive": "must be 1 or 0",
    YEARS_ALIVE: "must be growing seasons, fewer than years_observed if dead, as many if alive, or empty",
}


def _messages(given: pd.DataFrame, problems: dict[str, np.ndarray], far: np.ndarray) -> list[str]:
    found = []
    repeats = TREE_ID in problems and problems[TREE_ID].any()
    first_row = _first_row_of_tree(given).to_numpy() if repeats else None
    for column, bad in problems.items():
        for row in np.flatnonzero(bad):
            cell = given[column].iloc[row]
            if column == "species_code":
                rule = _species_rule(str(cell))
            elif column == TREE_ID:
                rule = (
                    f"must differ from that of row {first_row[row]:.0f} "
                    "(one row per tree, at its last visit; a replacement has an id of its own)"
                )
            else:
                rule = RULES[column]
            found.append((row, f"row {given.index[row]}: {column} {rule}, not {str(cell)!r}"))
    for row in np.flatnonzero(far):
        place = f"{given['latitude'].iloc[row]}, {given['longitude'].iloc[row]}"
        found.append((row, f"row {given.index[row]}: no grid point within {SEARCH_RADIUS_KM:g} km of {place}"))
    return [message for _, message in sorted(found, key=lambda entry: entry[0])]


@functools.cache
def _species_rule(code: str) -> str:
    named = {
        name.upper(): species.species_code
        for species in all_species()
        for name in (species.species_code, species.common_name)
    }
    close = difflib.get_close_matches(code.upper(), named, n=1)
    return "must be a species code" + (f" (perhaps {named[close[0]]})" if close else "")


def _shortened(messages: list[str]) -> list[str]:
    hidden = len(messages) - MAX_ERRORS_SHOWN
    return messages[:MAX_ERRORS_SHOWN] + ([f"and {hidden} more"] if hidden > 0 else [])
