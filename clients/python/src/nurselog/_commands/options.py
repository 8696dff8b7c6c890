"""Options that several commands have, and what they are in a request."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, TypeAlias

import typer

from nurselog._files.formats import CsvStyle

Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print the answer of the service as JSON.")]
Latitude: TypeAlias = Annotated[float, typer.Argument(help="Degrees north.")]
Longitude: TypeAlias = Annotated[float, typer.Argument(help="Degrees east: negative in Oregon and Washington.")]
Horizons: TypeAlias = Annotated[list[int] | None, typer.Option(help="1, 3 or 5 years; may be repeated.")]
Elevation: TypeAlias = Annotated[float | None, typer.Option(help="Elevation of the site in metres.")]
Conditions: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FEATURE=VALUE",
        help="A measured value, or practice such as seeds_per_spot=3; may be repeated.",
    ),
]
Warming: TypeAlias = Annotated[float | None, typer.Option(help="Degrees Celsius of a changed climate.")]
PrecipitationChange: TypeAlias = Annotated[
    float | None, typer.Option(help="Percent of precipitation of a changed climate.")
]
Include: TypeAlias = Annotated[
    list[str] | None, typer.Option(help="intervals, site or explanation (see --json); may be repeated.")
]
Methods: TypeAlias = Annotated[list[str] | None, typer.Option(help="manual or drone_seeded; by default both.")]
AllSpecies: TypeAlias = Annotated[bool, typer.Option("--all", help="Also species that are not native there.")]
Crs: TypeAlias = Annotated[str | None, typer.Option(help="The reference system of a file that does not state it.")]
Encoding: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="The encoding of a CSV file or a shapefile. By default what the shapefile states, or else utf-8."
    ),
]
Layer: TypeAlias = Annotated[str | None, typer.Option(help="The layer of a file that has several.")]


class DecimalSign(StrEnum):
    """The decimal signs of CSV."""

    POINT = "."
    COMMA = ","


class ColumnSeparator(StrEnum):
    """The separators of CSV."""

    COMMA = ","
    SEMICOLON = ";"
    TAB = "tab"


Decimal: TypeAlias = Annotated[DecimalSign, typer.Option(help="The decimal sign in CSV.")]
Separator: TypeAlias = Annotated[
    ColumnSeparator | None,
    typer.Option(
        help="Between the columns of CSV. By default the header shows it; a comma is written, or with --decimal , a "
        "semicolon."
    ),
]


def csv_style(decimal: DecimalSign, separator: ColumnSeparator | None) -> CsvStyle:
    """How CSV is read and written."""
    return CsvStyle("\t" if separator == ColumnSeparator.TAB else separator and separator.value, decimal.value)


def site_options(
    horizon: list[int] | None,
    elevation_m: float | None,
    condition: list[str] | None,
    warming_c: float | None,
    precipitation_change_percent: float | None,
    include: list[str] | None,
) -> dict[str, Any]:
    """The given options of a request, without empty lists; an elevation of 0 is given."""
    options = {
        "horizons": horizon,
        "elevation_m": elevation_m,
        "conditions": conditions(condition),
        "scenario": scenario(warming_c, precipitation_change_percent),
        "include": include,
    }
    return {name: value for name, value in options.items() if value or value == 0}


def conditions(condition: list[str] | None) -> dict[str, float]:
    """The values of --condition by feature, empty where none was given."""
    return dict(_condition(text) for text in condition or [])


def scenario(warming_c: float | None, precipitation_change_percent: float | None) -> dict[str, float]:
    """A changed climate, empty where nothing of it was given."""
    return given({"warming_c": warming_c, "precipitation_change_percent": precipitation_change_percent})


def column_or_number(text: str | None) -> str | float | None:
    """A number for all rows, or else the name of a column."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def given(values: dict[str, float | None]) -> dict[str, float]:
    """Those values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def _condition(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not FEATURE=VALUE with a number, such as vpd_max=14.2", param_hint="--condition"
        ) from None
