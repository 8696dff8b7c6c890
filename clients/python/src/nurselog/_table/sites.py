"""The columns of a frame that are sent to the service, from names of columns or values for all rows."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from types import NoneType

import pyarrow as pa
import pyarrow.compute as pc

from nurselog._calls.arguments import COLUMN_NAME, check_type
from nurselog._table.columns import refuse_answer_names
from nurselog._table.frames import Adapter
from nurselog.errors import InvalidRequestError

_NUMBER = r"^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"
ANY_TEXT = ""
OTHER_DECIMAL = r"^-?[0-9]+[.,][0-9]+$"
"""Patterns of texts for which a column without any number is refused."""

_OF_NAN = re.compile(r"\b((\w+) must [^;]*, not )NaN")

_OPTIONAL = ("elevation_m", "vegetation_control", "overstory_cover", "seeds_per_spot")

_CODES = {"species_code": re.compile("[A-Z]{3,5}[0-9]{0,2}"), "planting_method": re.compile("manual|drone_seeded")}

_ALTERNATIVES = {
    "species_code": ", and is no code of a species, such as PSME, either",
    "planting_method": ", and is neither manual nor drone_seeded",
}


@dataclass(frozen=True)
class SiteColumns:
    """For each input of the service the name of a column or, except for the coordinates, a value for all rows."""

    latitude: str = "latitude"
    longitude: str = "longitude"
    species_code: str = "species_code"
    planting_method: str = "planting_method"
    elevation_m: str | float | None = None
    vegetation_control: str | float | None = None
    overstory_cover: str | float | None = None
    seeds_per_spot: str | float | None = None
    decimal: str = "."

    def __post_init__(self) -> None:
        """Raises TypeError for what is no name and no value, and ValueError if `decimal` is not a decimal sign."""
        for role in ("latitude", "longitude"):
            check_type(role, getattr(self, role), COLUMN_NAME, "the name of a column")
        for role in _CODES:
            check_type(role, getattr(self, role), COLUMN_NAME, "the name of a column or a value for all rows")
        for role in _OPTIONAL:
            kinds = (str, Real, Decimal, NoneType)
            check_type(role, getattr(self, role), kinds, "the name of a column or a number for all rows")
        check_type("decimal", self.decimal, str, "'.' or ','")
        if self.decimal not in (".", ","):
            raise ValueError(f"decimal must be '.' or ',', not {self.decimal!r}")


def sites_of(frame: Adapter, columns: SiteColumns, refused: str | None = ANY_TEXT) -> pa.Table:
    """The table that is sent for a frame, row by row: numbers are float64 and texts dictionaries.

    A cell without a number becomes NaN, which the service answers with an error row. An empty cell of an optional
    column, or one with the text NA, becomes null.

    Args:
        frame: The frame.
        columns: Its columns of sites.
        refused: A pattern of texts for which a column of numbers is refused if it has no number; None for no text.

    Raises:
        InvalidRequestError: A column is missing, occurs twice, has a wrong type, or is named like one of the answer.
    """
    refuse_answer_names(frame.names)
    coordinates = frame.coordinates()
    if coordinates is None:
        latitude, longitude = (
            pc.fill_null(numbers_of(_column(frame, name, role), name, columns.decimal, refused), math.nan)
            for name, role in ((columns.latitude, "latitude"), (columns.longitude, "longitude"))
        )
    else:
        latitude, longitude = coordinates
    arrays = {
        "latitude": latitude,
        "longitude": longitude,
        "species_code": _texts(frame, columns.species_code, "species_code"),
        "planting_method": _texts(frame, columns.planting_method, "planting_method"),
    }
    for role in _OPTIONAL:
        given = getattr(columns, role)
        if isinstance(given, str):
            arrays[role] = numbers_of(_column(frame, given, role), given, columns.decimal, refused, na_is_empty=True)
        elif given is not None:
            arrays[role] = pa.repeat(pa.scalar(float(given)), frame.rows)
    return pa.table(arrays)


def quoting_cells(answer: pa.Table, frame: Adapter, columns: SiteColumns) -> pa.Table:
    """The answer to the first rows of a frame, with messages that quote the cells of text that were sent as NaN."""
    index = answer.schema.get_field_index("error_message")
    messages = answer.column(index).cast(pa.string()).combine_chunks()
    is_of_nan = pc.fill_null(pc.match_substring(messages, "not NaN"), False)
    rows = pc.indices_nonzero(is_of_nan)
    if len(rows) == 0:
        return answer
    texts = {}
    for role in _OPTIONAL if frame.coordinates() is not None else ("latitude", "longitude", *_OPTIONAL):
        name = getattr(columns, role)
        if isinstance(name, str) and _is_text((cells := _decoded(frame.column(name))).type):
            texts[role] = cells.cast(pa.string()).take(rows).to_pylist()

    def quoting(row: int, message: str) -> str:
        def quoted(found: re.Match[str]) -> str:
            cell = texts[found[2]][row] if found[2] in texts else math.nan
            return found[1] + ("nothing" if cell is None else json.dumps(cell, ensure_ascii=False))

        return _OF_NAN.sub(quoted, message)

    quoted = [quoting(row, message) for row, message in enumerate(messages.take(rows).to_pylist())]
    whole = pc.replace_with_mask(messages, is_of_nan, pa.array(quoted, pa.string()))
    return answer.set_column(index, answer.schema.field(index), whole.dictionary_encode())


def _column(frame: Adapter, name: str, role: str) -> pa.ChunkedArray | pa.Array:
    times = Counter(frame.names)[name]
    if times == 1:
        return frame.column(name)
    there = "is there twice" if times else "is missing" + _ALTERNATIVES.get(role, "")
    shown = ", ".join(repr(str(other)) for other in frame.names[:30])
    more = f" and {len(frame.names) - 30} more" if len(frame.names) > 30 else ""
    raise InvalidRequestError(f"The column {name!r} for {role} {there}. The columns are {shown or 'none'}{more}.")


def numbers_of(
    values: pa.ChunkedArray | pa.Array,
    name: str,
    decimal: str,
    refused: str | None = None,
    *,
    na_is_empty: bool = False,
) -> pa.ChunkedArray | pa.Array:
    """The values of a column as float64: null where a cell is empty, NaN where a text is not a number.

    With `na_is_empty` the text NA is also null, since R writes missing values so.

    Raises:
        InvalidRequestError: The column is of another type, or has no number but a text like `refused`.
    """
    values = _decoded(values)
    if _is_text(values.type):
        return _parsed(values, name, decimal, refused, ["", "NA"] if na_is_empty else [""])
    is_number = pa.types.is_integer(values.type) or pa.types.is_floating(values.type)
    if is_number or pa.types.is_decimal(values.type) or pa.types.is_null(values.type):
        return values.cast(pa.float64(), safe=False)
    raise InvalidRequestError(f"The column {name!r} must have numbers, not {values.type}.")


def _parsed(
    texts: pa.ChunkedArray | pa.Array, name: str, decimal: str, refused: str | None, empty: list[str]
) -> pa.ChunkedArray | pa.Array:
    texts = pc.utf8_trim_whitespace(texts.cast(pa.string()))
    is_empty = pc.is_in(texts, pa.array(empty))
    # With decimal commas a point separates thousands or is a mistake.
    is_number = pc.match_substring_regex(texts, _NUMBER if decimal == "." else _NUMBER.replace(r"\.", ","))
    if refused is not None and not pc.any(is_number).as_py():
        example = pc.first(texts.filter(pc.and_not(pc.match_substring_regex(texts, refused), is_empty))).as_py()
        if example is not None:
            sign = "point" if decimal == "." else "comma"
            raise InvalidRequestError(f"The column {name!r} must have numbers with a decimal {sign}, not {example!r}.")
    numbers = pc.replace_substring(pc.if_else(is_number, texts, "nan"), ",", ".").cast(pa.float64())
    # After the cast: pyarrow before 24 corrupts texts of a slice with nulls (apache/arrow, issue 49410).
    # Digits beyond a float64 are read as infinite; as NaN, the message about them quotes their text.
    return pc.if_else(is_empty, None, pc.if_else(pc.is_finite(numbers), numbers, math.nan))


def _texts(frame: Adapter, name: str, role: str) -> pa.ChunkedArray | pa.Array:
    kind = pa.dictionary(pa.int32(), pa.string())
    if isinstance(name, str) and name not in frame.names and _CODES[role].fullmatch(name):
        return pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), frame.rows), [name]).cast(kind)
    values = _column(frame, name, role)
    try:
        return _decoded(values).cast(pa.string()).dictionary_encode().cast(kind)
    except pa.ArrowException:
        raise InvalidRequestError(f"The column {name!r} for {role} must have texts, not {values.type}.") from None


def _decoded(values: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """The values of a column without a dictionary."""
    if not pa.types.is_dictionary(values.type):
        return values
    # pyarrow cannot decode a dictionary of string views.
    kind = pa.string() if pa.types.is_string_view(values.type.value_type) else values.type.value_type
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    return pa.chunked_array([chunk.dictionary.cast(kind).take(chunk.indices) for chunk in chunks], kind)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
