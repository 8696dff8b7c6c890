"""Types of columns that a format lacks, and what its files have in their place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa

from nurselog._table.columns import without_dictionaries
from nurselog.errors import InvalidRequestError


def with_texts_of_uuids(table: pa.Table) -> pa.Table:
    """The table with texts for UUIDs, which only Parquet has."""
    for index, field in enumerate(table.schema):
        if getattr(field.type, "extension_name", "") == "arrow.uuid":
            texts = [None if each is None else str(each) for each in table.column(index).to_pylist()]
            table = table.set_column(index, field.name, pa.array(texts, pa.string()))
    return table


def with_json_of_mixed_values(frame: Any) -> Any:  # noqa: ANN401 - geopandas is optional
    """The frame with JSON for nested values that have no type of Arrow in common, as those of GeoJSON may."""
    import pandas as pd

    for name in frame.columns[frame.dtypes == "object"]:
        try:
            pa.array(frame[name])
        except pa.ArrowInvalid:
            frame = frame.assign(**{name: pd.array(list(map(_json, frame[name])), pd.ArrowDtype(pa.json_()))})
    return frame


def with_types_of_gdal(table: pa.Table) -> pa.Table:
    """The table with types that GeoPackage and GeoJSON have.

    Lists and structs are JSON. Unsigned integers of 64 bits and decimals are numbers where these have all their digits,
    and texts otherwise. Nanoseconds of a time are microseconds.

    Raises:
        InvalidRequestError: A column cannot be converted, whatever its values.
    """
    table = with_texts_of_uuids(without_dictionaries(table))
    for index, field in enumerate(table.schema):
        column = _converted(table.column(index), field.name)
        if column.type != field.type:
            table = table.set_column(index, field.name, column)
    return table


def _converted(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray | pa.Array:
    kind = column.type
    is_nested = pa.types.is_nested(kind)
    for leaf in _leaves(kind):
        refused = ("map<", "union<", "duration", "pandas.period", *(["binary"] if is_nested else []))
        if any(name in str(leaf) for name in refused):
            raise InvalidRequestError(
                f"GeoPackage and GeoJSON cannot have the column {name!r} of {kind}: drop it, or write Parquet."
            )
    if is_nested:
        # GDAL would write 0, false and "" for what a missing struct has, and 0 for a number that a list lacks.
        return pa.ExtensionArray.from_storage(pa.json_(), pa.array(map(_json, column.to_pylist()), pa.string()))
    if kind == pa.uint64() or (pa.types.is_decimal(kind) and kind.scale <= 0):
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            return column.cast(pa.string())
    if pa.types.is_decimal(kind):
        decimals = column.to_pylist()
        if any(each is not None and not _is_number(each) for each in decimals):
            return column.cast(pa.string())
        # A cast of pyarrow makes 0.35 to 0.35000000000000003.
        return pa.array([None if each is None else float(each) for each in decimals], pa.float64())
    return column.cast(pa.time64("us"), safe=False) if pa.types.is_time64(kind) else column


def _is_number(value: Decimal) -> bool:
    """Whether a number has all digits of the decimal."""
    return Decimal(str(float(value))) == value


def _leaves(kind: pa.DataType) -> Iterator[pa.DataType]:
    """The types of the values within a type of lists or structs; otherwise the type itself."""
    if pa.types.is_struct(kind):
        for field in kind:
            yield from _leaves(field.type)
    elif pa.types.is_nested(kind) and not (pa.types.is_map(kind) or pa.types.is_union(kind)):
        yield from _leaves(kind.value_type)
    else:
        yield kind


def _json(value: object) -> str | None:
    if value is None:
        return None
    text = json.dumps(value, default=_json_value)
    without_nan = json.loads(text, parse_constant=lambda _: None)
    return json.dumps(without_nan, ensure_ascii=False)


def _json_value(value: Any) -> float | str:  # noqa: ANN401 - whatever pyarrow has for the types of columns
    if isinstance(value, Decimal):
        return float(value) if _is_number(value) else str(value)
    return str(value.isoformat() if hasattr(value, "isoformat") else value)
