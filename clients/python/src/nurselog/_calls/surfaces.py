"""The calls for the survival of a species at the data points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal
from urllib.parse import quote, urlencode

import httpx

from nurselog._calls.arguments import INCLUDE, check_type, checked_list
from nurselog._calls.operations import Operation, get_object, other_type
from nurselog.types import Scenario, Surface

SurfaceFormat = Literal["tif", "csv", "geojson", "arrow", "json"]

_MEDIA_TYPES: Mapping[SurfaceFormat, str] = {
    "tif": "image/tiff",
    "csv": "text/csv",
    "geojson": "application/geo+json",
    "arrow": "application/vnd.apache.arrow.stream",
    "json": "application/json",
}


def surface(
    species_code: str,
    *,
    bbox: tuple[float, float, float, float] | None = None,
    max_points: int | None = None,
    scenario: Scenario | None = None,
    vegetation_control: float | None = None,
    overstory_cover: float | None = None,
    seeds_per_spot: float | None = None,
) -> Operation[Surface]:
    """Returns the survival of one species at the data points, as columns: for maps.

    Args:
        species_code: A code of `species()`, such as "PSME".
        bbox: West, south, east and north in degrees; by default everywhere.
        max_points: The most points, by default 20,000; where there are more, those of a coarser lattice.
        scenario: A changed climate: `warming_c`, `precipitation_change_percent` or both.
        vegetation_control: Control of competing vegetation, from 0 (none) to 1 (complete).
        overstory_cover: Cover of trees that stand above the planting, percent.
        seeds_per_spot: Viable seeds of a pod, 1 to 10,000.

    Raises:
        NurselogError: One subclass for each error code.
        TypeError: An argument is of a wrong type.
    """
    practice = (vegetation_control, overstory_cover, seeds_per_spot)
    return get_object(_surface_path(species_code, bbox, max_points, scenario, *practice))


def surface_file(
    species_code: str,
    format: SurfaceFormat,
    *,
    bbox: tuple[float, float, float, float] | None = None,
    max_points: int | None = None,
    scenario: Scenario | None = None,
    vegetation_control: float | None = None,
    overstory_cover: float | None = None,
    seeds_per_spot: float | None = None,
    include: Sequence[Literal["intervals"]] | None = None,
) -> Operation[bytes]:
    """Returns the survival of one species as the bytes of a file.

    Args:
        species_code: A code of `species()`, such as "PSME".
        format: "tif" is a cloud-optimised GeoTIFF with a band for each method and horizon, at full resolution; the
            others, "csv", "geojson", "arrow" (a stream) and "json", have a row for each point.
        bbox: See `surface`.
        max_points: See `surface`.
        scenario: See `surface`.
        vegetation_control: See `surface`.
        overstory_cover: See `surface`.
        seeds_per_spot: See `surface`.
        include: ["intervals"] adds the bounds of each survival, to "tif" alone.

    Raises:
        NurselogError: One subclass for each error code.
        TypeError: An argument is of a wrong type.
    """
    practice = (vegetation_control, overstory_cover, seeds_per_spot)
    included = checked_list("include", include, INCLUDE) or []
    further = {"f": format, "include": ",".join(map(str, included)) or None}
    path = _surface_path(species_code, bbox, max_points, scenario, *practice, further)

    def read(response: httpx.Response) -> bytes:
        if (error := other_type(response, _MEDIA_TYPES[format])) is not None:
            raise error
        return response.content

    return Operation("GET", path, read)


def _surface_path(
    species_code: str,
    bbox: tuple[float, float, float, float] | None,
    max_points: int | None,
    scenario: Scenario | None,
    vegetation_control: float | None,
    overstory_cover: float | None,
    seeds_per_spot: float | None,
    further: Mapping[str, object] | None = None,
) -> str:
    check_type("species_code", species_code, str, 'a code, such as "PSME"')
    box = checked_list("bbox", bbox, "the four numbers west, south, east and north")
    scenario = {} if scenario is None else scenario
    check_type("scenario", scenario, Mapping, 'a mapping, such as {"warming_c": 2}')
    options = {
        "bbox": None if box is None else ",".join(map(str, box)),
        "max_points": max_points,
        "vegetation_control": vegetation_control,
        "overstory_cover": overstory_cover,
        "seeds_per_spot": seeds_per_spot,
        **scenario,
        **(further or {}),
    }
    given = {name: value for name, value in options.items() if value is not None}
    query = f"?{urlencode(given, safe=',')}" if given else ""
    return f"/v1/surfaces/{quote(species_code, safe='')}{query}"
