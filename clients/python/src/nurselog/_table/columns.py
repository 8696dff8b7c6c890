"""The columns that an answer adds to a table: their names, order and types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from nurselog.errors import InvalidRequestError

HORIZONS = (1, 3, 5)
_FACTORS = (1, 2, 3)
_TEXT = pa.dictionary(pa.int32(), pa.string())


def answer_schema(horizons: Sequence[int] | None, intervals: bool) -> pa.Schema:
    """The columns of an answer, in order; texts are dictionaries."""
    fields = [
        ("matched_latitude", pa.float64()),
        ("matched_longitude", pa.float64()),
        ("match_distance_km", pa.float64()),
        ("region", _TEXT),
    ]
    for horizon in sorted(set(HORIZONS if horizons is None else horizons)):
        fields.append((f"survival_{horizon}", pa.float32()))
        for factor in _FACTORS:
            fields.append((f"factor_{horizon}_{factor}", _TEXT))
            fields.append((f"contribution_{horizon}_{factor}", pa.float32()))
        if intervals:
            fields += [(f"low_{horizon}", pa.float32()), (f"high_{horizon}", pa.float32())]
    return pa.schema([*fields, ("error_code", _TEXT), ("error_message", _TEXT)])


ANSWER_NAMES = frozenset(answer_schema(None, intervals=True).names)
"""The columns of answers with any options."""

MODEL_KEYS = (b"model", b"models")
"""Keys in the metadata of an answered table, which has one of them: see `with_models`."""


def refuse_answer_names(names: Iterable[object]) -> None:
    """Refuses a table that has columns named like those of an answer with any options.

    Raises:
        InvalidRequestError: The table has such columns. Nothing was sent.
    """
    taken = [str(name) for name in names if name in ANSWER_NAMES]
    if taken:
        raise InvalidRequestError(
            f"The table already has {_listed(taken)}, which the answer would add: rename or drop "
            f"{'it' if len(taken) == 1 else 'them'}."
        )


def conform(answer: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of `schema` from what the service sent, whose dictionaries may have smaller indices.

    Raises:
        KeyError: A column is missing.
        pyarrow.ArrowInvalid: A column has values of another type.
    """
    # One chunk each: hundreds of chunks would take several times as long below.
    whole = answer.select(schema.names).unify_dictionaries().combine_chunks()
    columns = [_conform(column, field.type) for column, field in zip(whole.columns, schema, strict=True)]
    return pa.Table.from_arrays(columns, schema=schema.with_metadata(answer.schema.metadata))


def without_models(table: pa.Table | pa.RecordBatch) -> dict[bytes, bytes]:
    """The metadata of a table without the models of an earlier answer."""
    return {name: value for name, value in (table.schema.metadata or {}).items() if name not in MODEL_KEYS}


def with_models(table: pa.Table, models: Iterable[bytes]) -> pa.Table:
    """The table with `model` in its metadata, or with the JSON array `models` if several answered its rows."""
    each = list(dict.fromkeys(models))
    stated = {b"model": each[0]} if len(each) == 1 else {b"models": b"[" + b",".join(each) + b"]"} if each else {}
    return table.replace_schema_metadata({**without_models(table), **stated} or None)


def without_dictionaries(table: pa.Table) -> pa.Table:
    """The table with its dictionaries as plain strings."""
    fields = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields, table.schema.metadata))


def _conform(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    if pa.types.is_dictionary(wanted) and pa.types.is_dictionary(column.type):
        chunks = [
            pa.DictionaryArray.from_arrays(chunk.indices.cast(wanted.index_type), chunk.dictionary.cast(pa.string()))
            for chunk in column.chunks
        ]
        return pa.chunked_array(chunks, wanted)
    return column.cast(wanted)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"the column{'s' if len(names) > 1 else ''} {shown}{more}"
