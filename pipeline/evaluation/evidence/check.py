"""Checks of the files of plantings, so that a wrong line is named instead of compared or failing elsewhere."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from pipeline.evaluation.evidence.columns import AT_MOST, COLUMNS, ENDS, KEYS
from pipeline.sources.manifest import SourceError

MAX_SHOWN = 20

Problem = tuple[str, int, str]
"""File, line and what is wrong with it."""


class EvidenceError(SourceError):
    """Files of plantings that cannot be used; the message has a line for each problem."""


def check_evidence(directory: Path) -> None:
    """Raise EvidenceError unless the files agree and can be compared.

    Lines with a reason in `left_out` are shown only: their texts are not checked, and their numbers may be absent.
    """
    tables = {name: _read(directory / name, list(columns)) for name, columns in COLUMNS.items()}
    problems = [problem for name, table in tables.items() for problem in (*_cells(name, table), *_pairs(name, table))]
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
    is_left_out = table.get("left_out", pd.Series("", table.index)) != ""
    for column_name, column in COLUMNS[name].items():
        for line, cell in table[column_name].items():
            if cell == "" and not column.may_be_empty and not is_left_out[line]:
                yield name, line, f"{column_name} must not be empty"
            is_free = cell == "" or (column.free_if_left_out and is_left_out[line])
            if not is_free and not column.holds(cell):
                yield name, line, f"{column_name} {column.rule}, not {cell!r}"


def _pairs(name: str, table: pd.DataFrame) -> Iterator[Problem]:
    for low, high in ENDS:
        if low in table:
            for line in table.index[(table[low] == "") != (table[high] == "")]:
                yield name, line, f"{low} and {high} must both be given, or neither"
    for low, high in AT_MOST:
        if low in table and high in table:
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
        given = {name: row[name] for name in ("planted", "alive", "survival_low", "survival_high") if row[name]}
        rules = {
            "years must be given, or left_out say why they are not": row["years"] != "",
            f"places.csv must have a line for {row['source']!r}, {row['place']!r}": (
                (row["source"], row["place"]) in places
            ),
            f"sources.csv must have a line for {row['source']!r}": row["source"] in sources,
            f"must have planted and alive, or survival_low and survival_high, not {given or 'neither'}": (
                list(given) in (["planted", "alive"], ["survival_low", "survival_high"])
            ),
            "a bound must have survival_low 0 or survival_high 1": (
                row["bound"] == "" or _is(row["survival_low"], 0) or _is(row["survival_high"], 1)
            ),
        }
        found += [("plantings.csv", line, rule) for rule, holds in rules.items() if not holds]
        key = tuple(row[name] for name in ("source", "place", "species_code", "planting_method", "treatment"))
        if numbers_of.setdefault(key, row["planted"]) != row["planted"]:
            what = f"planted must be the same in every line of a planting: {numbers_of[key]!r} and {row['planted']!r}"
            found.append(("plantings.csv", line, what))
    return found


def _is(cell: str, number: int) -> bool:
    return pd.to_numeric(cell, errors="coerce") == number


def _names(tables: dict[str, pd.DataFrame]) -> list[Problem]:
    """Return lines with the key of an earlier one, and treatments that no planting has."""
    found = []
    for name, key in KEYS.items():
        lines = tables[name]
        if "left_out" in lines:
            lines = lines[lines["left_out"] == ""]
        if "years" in key:
            lines = lines.assign(years=pd.to_numeric(lines["years"], errors="coerce"))
        for line in lines.index[lines.duplicated(key)]:
            found.append((name, line, f"{' and '.join(key)} are those of an earlier line"))
    pairs = tables["plantings.csv"][KEYS["treatments.csv"]].itertuples(index=False, name=None)
    planted, treatments = set(pairs), tables["treatments.csv"]
    for line, source, treatment in zip(treatments.index, treatments["source"], treatments["treatment"], strict=True):
        if (source, treatment) not in planted:
            found.append(("treatments.csv", line, f"no planting of {source!r} has the treatment {treatment!r}"))
    return found
