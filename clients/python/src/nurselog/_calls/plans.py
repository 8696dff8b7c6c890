"""Plans of planting units without input and output: which requests they take, and how the answers are joined."""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from nurselog._calls.arguments import COLUMN_NAME, check_type
from nurselog._calls.notebooks import ShownPlan
from nurselog._calls.operations import Operation, encode, plan_request
from nurselog._table.frames import in_wgs_84
from nurselog.errors import BatchTooLargeError, InvalidRequestError, NurselogError, PayloadTooLargeError
from nurselog.types import Model, PlanResult, PlantingMethod, Scenario

if TYPE_CHECKING:
    from geopandas import GeoDataFrame, GeoSeries
else:
    GeoDataFrame = Any  # need not be installed; the signature of `plan` is evaluated

PlanSteps = Generator[Operation[PlanResult], PlanResult, PlanResult]
"""Yields the requests of a plan one after the other, takes their answers, and returns the answer to all."""

_UNITS_A_REQUEST = 500
"""The most that any tier allows."""


def plan(
    units: Mapping[str, Any] | GeoDataFrame,
    *,
    id_column: str | None = None,
    species_codes: Sequence[str] | None = None,
    planting_methods: Sequence[PlantingMethod] | None = None,
    horizon: int | None = None,
    native_only: bool | None = None,
    costs: Mapping[PlantingMethod, float] | None = None,
    scenario: Scenario | None = None,
    conditions: Mapping[str, float] | None = None,
    target_per_ha: float | None = None,
    basis: Literal["mean", "low"] | None = None,
) -> PlanSteps:
    """Compares species and planting methods for planting units, any number of them.

    `nurselog.plans.to_geodataframe` makes a table of the answer. If the models change between the requests for many
    units, the answer has all of them in the list `models`, and in `model` those of the last units.

    Args:
        units: Polygons: a GeoDataFrame in any coordinate reference system, or a GeoJSON FeatureCollection in WGS 84
            whose features have an `id`.
        id_column: The column of a GeoDataFrame with the ids, numbers or texts; by default its index.
        species_codes: Codes of `species()`; by default all.
        planting_methods: "manual", "drone_seeded" or both, as by default.
        horizon: Years after planting: 1, 3 or, by default, 5.
        native_only: False to include species outside their native range.
        costs: What a planted tree ("manual") and a sown spot ("drone_seeded") cost: ranks by cost per survivor.
        scenario: A changed climate: `warming_c`, `precipitation_change_percent` or both.
        conditions: What was measured, by feature and in the unit of `model()`, in place of the data of all units.
        target_per_ha: Living trees per hectare wanted at the horizon; adds to each option an `order` of how many to
            plant or sow.
        basis: Whether the order is calculated with the "mean" survival, the default, or the "low" end of its interval.

    Raises:
        NurselogError: One subclass for each error code. If units were answered before it, its `answered` is the plan of
            these. A unit that fails has an `error` in the answer instead.
        InvalidRequestError: `units` has no coordinate reference system, no column `id_column`, a unit without an id, or
            an id twice. Nothing was sent.
        TypeError: `units` is neither a GeoDataFrame with a geometry nor a FeatureCollection.
    """
    options = {
        "species_codes": species_codes,
        "planting_methods": planting_methods,
        "horizon": horizon,
        "native_only": native_only,
        "costs": costs,
        "scenario": scenario,
        "conditions": conditions,
        "target_per_ha": target_per_ha,
        "basis": basis,
    }
    given = {name: value for name, value in options.items() if value is not None}
    features = _features(units, id_column)
    # The service refuses other systems than WGS 84.
    crs = {"crs": units["crs"]} if isinstance(units, Mapping) and "crs" in units else {}
    limit = _UNITS_A_REQUEST
    answers: list[PlanResult] = []
    start = 0
    while start < len(features) or not answers:
        try:
            answers.append((yield plan_request(_collection(features[start : start + limit], crs), encode(given))))
        except NurselogError as error:
            count = min(limit, len(features) - start)
            if count < 2 or not _is_too_large(error):
                if answers:
                    error.answered = _joined(answers)
                raise
            tier_limit = error.details.get("tier_limit")
            limit = tier_limit if isinstance(tier_limit, int) and 0 < tier_limit < count else count // 2
        else:
            start += limit
    return _joined(answers)


def _joined(answers: Sequence[PlanResult]) -> PlanResult:
    """One plan of several answers, with `models` if they are not of the same ones."""
    plan = ShownPlan({**answers[-1], "units": [unit for answer in answers for unit in answer["units"]]})
    models: list[Model | None] = []
    for answer in answers:
        if (model := answer.get("model")) not in models:
            models.append(model)
    if len(models) > 1:
        plan["models"] = models
    return cast("PlanResult", plan)


def _is_too_large(error: NurselogError) -> bool:
    """Whether fewer units may succeed: a request is invalid for its size if its only issue has an empty path."""
    if not isinstance(error, InvalidRequestError):
        return isinstance(error, (BatchTooLargeError, PayloadTooLargeError))
    issues = error.details.get("issues")
    return isinstance(issues, list) and [issue.get("path") for issue in issues if isinstance(issue, dict)] == [""]


def unit_ids(units: GeoDataFrame, id_column: str | None) -> list[Any]:
    """The ids of units as Python's numbers and texts."""
    ids: list[Any] = (units.index if id_column is None else units[id_column]).tolist()
    return ids


def _features(units: Mapping[str, Any] | GeoDataFrame, id_column: str | None) -> list[bytes]:
    if isinstance(units, Mapping) and "features" in units:
        _check_unique_ids(units["features"])
        return [_encoded(feature) for feature in units["features"]]
    if isinstance(units, Mapping) or not hasattr(units, "crs"):
        raise TypeError(
            f"units must be a GeoDataFrame with a geometry or a GeoJSON FeatureCollection, not {units!r:.80}"
        )
    if units.crs is None:
        raise InvalidRequestError("The units have no coordinate reference system: set it with units.set_crs(...).")
    check_type("id_column", id_column, (*COLUMN_NAME, NoneType), "the name of a column or None")
    if id_column is not None and id_column not in units.columns:
        names = ", ".join(repr(name) for name in units.columns)
        raise InvalidRequestError(f"The column {id_column!r} for id_column is missing. The columns are {names}.")
    ids = unit_ids(units, id_column)
    named = "The index" if id_column is None else f"The column {id_column}"
    # An index of several levels has no isna, and its ids are refused by the service.
    is_missing = (units.index.to_series() if id_column is None else units[id_column]).isna().tolist()
    if True in is_missing:
        raise InvalidRequestError(f"{named} of the units has no id in row {is_missing.index(True) + 1}.")
    if len(set(ids)) < len(ids):
        raise InvalidRequestError(f"{named} of the units has an id twice: name a column with unique ids as id_column.")
    return [
        _encoded({"type": "Feature", "id": id_, "geometry": None if geometry is None else geometry.__geo_interface__})
        for id_, geometry in zip(ids, _outlines(units.geometry), strict=True)
    ]


def _outlines(geometry: GeoSeries) -> list[Any]:
    """The geometries of units in WGS 84, valid where they were valid before.

    A corner that touched the middle of an edge lies up to centimetres beside that edge once both are reprojected.
    """
    outlines = in_wgs_84(geometry)
    was_broken = (geometry.is_valid & ~outlines.is_valid & np.isfinite(outlines.bounds).all(axis=1)).to_numpy()
    # shapely's buffer, since that of geopandas warns of degrees.
    buffer = sys.modules["shapely"].buffer
    return [buffer(outline, 0) if broken else outline for outline, broken in zip(outlines, was_broken, strict=True)]


def _encoded(feature: Mapping[str, Any]) -> bytes:
    """A feature as JSON; without its geometry if a coordinate is not finite, so that only this unit has an error."""
    try:
        return encode(feature)
    except InvalidRequestError:
        return encode({**feature, "geometry": None})


def _check_unique_ids(features: Sequence[Any]) -> None:
    """Raises InvalidRequestError for a repeated id, which the service finds only within a request.

    Values that cannot be ids are left to the service.
    """
    firsts: dict[str | float, int] = {}
    for index, feature in enumerate(features):
        id_ = feature.get("id") if isinstance(feature, Mapping) else None
        if not isinstance(id_, (str, int, float)):
            continue
        first = firsts.setdefault(id_, index)
        if first != index:
            raise InvalidRequestError(f"The features {first} and {index} of the units have the same id, {id_!r}.")


def _collection(features: Sequence[bytes], crs: Mapping[str, Any]) -> bytes:
    return encode({"type": "FeatureCollection", **crs})[:-1] + b',"features":[' + b",".join(features) + b"]}"
