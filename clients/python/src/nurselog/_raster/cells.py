"""The cells of a raster as sites, window by window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyproj
from rasterio.windows import Window

from nurselog._raster.reading import Values, values_of
from nurselog._table.frames import WGS_84
from nurselog.errors import InvalidRequestError

WINDOW_CELLS = 144
"""Width and height of a window: with both methods it has fewer rows than a request may have."""


@dataclass(frozen=True)
class Cells:
    """Those cells of a window that have data, in its rows and columns."""

    window: Window
    has_data: npt.NDArray[np.bool_]
    latitude: Values
    longitude: Values
    elevation_m: Values | float | None

    def sites(self, species_code: str, methods: Sequence[str]) -> pa.Table:
        """The table that is sent: all cells for the first method, then all for the next."""
        rows = self.latitude.size * len(methods)
        columns = {
            "latitude": np.tile(self.latitude, len(methods)),
            "longitude": np.tile(self.longitude, len(methods)),
            "species_code": _dictionary(np.zeros(rows, np.int32), [species_code]),
            "planting_method": _dictionary(np.arange(len(methods), dtype=np.int32).repeat(self.latitude.size), methods),
        }
        if isinstance(self.elevation_m, np.ndarray):
            columns["elevation_m"] = np.tile(self.elevation_m, len(methods))
        elif self.elevation_m is not None:
            columns["elevation_m"] = np.full(rows, self.elevation_m)
        return pa.table(columns)


def cells_of(template: Any, elevation: Any | float | None) -> Iterator[Cells]:  # noqa: ANN401 - rasterio has no types
    """The cells of each window, by rows of windows.

    Args:
        template: A dataset of rasterio; cells without data in its first band are left out.
        elevation: A dataset with the same cells, which are left out where it has no data; or metres for all.
    """
    to_degrees = _transformer(template)
    for window in _windows(template.width, template.height):
        values = values_of(template, window)
        heights: Values | float | None = elevation
        if elevation is template:
            heights = values
        elif elevation is not None and not isinstance(elevation, float):
            heights = values_of(elevation, window)
        has_data = np.isfinite(values)
        if isinstance(heights, np.ndarray):
            has_data &= np.isfinite(heights)
        latitude, longitude = _degrees(template.transform, window, has_data, to_degrees)
        # Cells beyond the reach of the projection have no place.
        has_place = np.isfinite(latitude) & np.isfinite(longitude)
        if not has_place.all():
            has_data[has_data] = has_place
            latitude, longitude = latitude[has_place], longitude[has_place]
        yield Cells(
            window, has_data, latitude, longitude, heights[has_data] if isinstance(heights, np.ndarray) else heights
        )


def _windows(width: int, height: int) -> Iterator[Window]:
    for row in range(0, height, WINDOW_CELLS):
        for column in range(0, width, WINDOW_CELLS):
            yield Window(column, row, min(WINDOW_CELLS, width - column), min(WINDOW_CELLS, height - row))


def _degrees(
    transform: Any,  # noqa: ANN401 - affine has no types
    window: Window,
    has_data: npt.NDArray[np.bool_],
    to_degrees: pyproj.Transformer,
) -> tuple[Values, Values]:
    """Latitudes and longitudes of the centres of cells."""
    rows, columns = np.nonzero(has_data)
    row, column = rows + window.row_off + 0.5, columns + window.col_off + 0.5
    x = transform.a * column + transform.b * row + transform.c
    y = transform.d * column + transform.e * row + transform.f
    longitude, latitude = to_degrees.transform(x, y)
    return latitude, longitude


def _transformer(template: Any) -> pyproj.Transformer:  # noqa: ANN401 - rasterio has no types
    try:
        return pyproj.Transformer.from_crs(template.crs.to_wkt(), WGS_84, always_xy=True)
    except pyproj.exceptions.ProjError as error:
        raise InvalidRequestError(f"The cells of the raster have no places in WGS 84: {error}.") from None


def _dictionary(indices: npt.NDArray[np.int32], values: Sequence[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(values))
