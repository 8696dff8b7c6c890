"""The answers of plans as tables of geopandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nurselog._calls.plans import unit_ids
from nurselog.types import PlanResult

if TYPE_CHECKING:
    from geopandas import GeoDataFrame

OPTION_COLUMNS = (
    "rank",
    "species_code",
    "species_common_name",
    "planting_method",
    "in_native_range",
    "survival_mean",
    "survival_low",
    "survival_high",
    "survival_p10",
    "survival_p90",
    "cost_per_survivor",
    "order_per_ha",
    "order_total",
    "order_cost",
)
UNIT_COLUMNS = ("area_ha", "data_points", "nearest_km")
ERROR_COLUMNS = ("error_code", "error_message")

_ADDED = [*UNIT_COLUMNS, *OPTION_COLUMNS, *ERROR_COLUMNS]
_TYPES = {
    "species_code": "string",
    "species_common_name": "string",
    "planting_method": "string",
    "error_code": "string",
    "error_message": "string",
    "data_points": "Int64",
    "rank": "Int64",
    "in_native_range": "boolean",
    "order_per_ha": "Int64",
    "order_total": "Int64",
}


def refuse_answer_names(units: GeoDataFrame, prefix: str = "", *, any_case: bool = False) -> None:
    """Raises ValueError if `units` has a column that `to_geodataframe` would add, with `any_case` in any case."""

    def compared(name: str) -> str:
        return name.lower() if any_case else name

    columns = {compared(str(name)): str(name) for name in units.columns}
    added = [compared(prefix + name) for name in _ADDED]
    if taken := [columns[name] for name in added if name in columns]:
        names = ", ".join(taken)
        raise ValueError(f"the units have columns that the answer would add: rename or drop {names}, or give a prefix")


def to_geodataframe(
    answer: PlanResult, units: GeoDataFrame, id_column: str | None = None, prefix: str = ""
) -> GeoDataFrame:
    """The answer as a table with a row for each option of each unit.

    Args:
        answer: What `Client.plan` answered.
        units: The units that it was asked about.
        id_column: See `Client.plan`.
        prefix: What stands before the names of the added columns.

    Returns:
        The columns, index and coordinate reference system of `units`, and after its columns `area_ha`, `data_points`,
        `nearest_km`, the fields of the option, `error_code` and `error_message`. A unit that failed, or has no option,
        is one row.

    Raises:
        ValueError: `units` has a column of one of these names, or lacks a unit of the answer.
    """
    import pandas as pd

    refuse_answer_names(units, prefix)
    positions = {id_: position for position, id_ in enumerate(unit_ids(units, id_column))}
    rows: list[int] = []
    records: list[dict[str, Any]] = []
    for unit in answer["units"]:
        if unit["id"] not in positions:
            place = "index" if id_column is None else f"column {id_column}"
            raise ValueError(
                f"the {place} of the units has no {unit['id']!r}: give the units and the id_column of plan"
            )
        for record in _records(dict(unit)):
            rows.append(positions[unit["id"]])
            records.append(record)
    table = units.take(rows)
    # By default integers with missing values would become floats, booleans texts, and a column without values numbers.
    answers = pd.DataFrame(records, columns=_ADDED).astype(_TYPES)
    for name in _ADDED:
        table[prefix + name] = answers[name].array  # by position: several rows have the same index
    return table


def _records(unit: dict[str, Any]) -> list[dict[str, Any]]:
    if "error" in unit:
        return [{"error_code": unit["error"]["code"], "error_message": unit["error"]["message"]}]
    own = {name: unit[name] for name in UNIT_COLUMNS}
    options = [
        {
            **own,
            **option,
            **{f"survival_{name}": value for name, value in option["survival"].items()},
            **{f"order_{name}": value for name, value in (option.get("order") or {}).items()},
        }
        for option in unit["options"]
    ]
    return options or [own]
