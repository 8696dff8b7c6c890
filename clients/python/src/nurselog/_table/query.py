"""The address of a table with its options, and the columns of its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

import pyarrow as pa

from nurselog._calls.arguments import INCLUDE, YEARS, checked_list
from nurselog._table.columns import answer_schema


@dataclass(frozen=True)
class TableQuery:
    """The address and the columns of the answer; `options` are those of the address that were given."""

    path: str
    schema: pa.Schema
    options: Mapping[str, str] = field(default_factory=dict)


def table_query(
    horizons: Sequence[int] | None,
    include: Sequence[str] | None,
    warming_c: float | None,
    precipitation_change_percent: float | None,
    practice: Mapping[str, float | None] | None = None,
) -> TableQuery:
    """The query for these options; `practice` is for all rows.

    Raises:
        TypeError: `horizons` or `include` is not a list.
    """
    horizons = checked_list("horizons", horizons, YEARS)
    include = checked_list("include", include, INCLUDE) or []
    options = {
        "horizons": None if horizons is None else ",".join(map(str, horizons)),
        "include": ",".join(map(str, include)) or None,
        "warming_c": warming_c,
        "precipitation_change_percent": precipitation_change_percent,
        **(practice or {}),
    }
    given = {name: str(value) for name, value in options.items() if value is not None}
    path = "/v1/predict/table" + (f"?{urlencode(given, safe=',')}" if given else "")
    return TableQuery(path, answer_schema(horizons, "intervals" in include), given)
