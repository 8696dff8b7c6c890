"""Surfaces as tables of pandas and geopandas, and as arrays of xarray."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nurselog._table.frames import WGS_84
from nurselog.errors import ConfigurationError
from nurselog.types import Surface

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from geopandas import GeoDataFrame
    from pandas import DataFrame
    from xarray import DataArray

_KM_PER_DEGREE = 111.195


def to_dataframe(answer: Surface) -> DataFrame:
    """The points as rows of pandas: what `Client.surface` answered.

    Returns:
        `longitude`, `latitude`, `elevation_m`, `region`, `in_native_range`, and the survival of each method at each
        horizon as `manual_1` to `drone_seeded_5`.
    """
    import pandas as pd

    names = ("longitude", "latitude", "elevation_m", "region", "in_native_range")
    points: dict[str, Any] = dict(answer)
    return pd.DataFrame({**{name: points[name] for name in names}, **_bands(answer)})


def to_geodataframe(answer: Surface) -> GeoDataFrame:
    """The points as rows of geopandas in WGS 84, with the columns of `to_dataframe` except the coordinates."""
    import geopandas

    points = geopandas.GeoSeries.from_xy(answer["longitude"], answer["latitude"], crs=WGS_84)
    return geopandas.GeoDataFrame(to_dataframe(answer).drop(columns=["longitude", "latitude"]), geometry=points)


def to_xarray(answer: Surface) -> DataArray:
    """The points as cells of an array in WGS 84.

    Returns:
        The dimensions `band`, which is "manual_1" to "drone_seeded_5", `y` from north to south and `x` from west to
        east. NaN where there is no point.

    Raises:
        ConfigurationError: rioxarray is not installed.
    """
    try:
        import numpy as np
        import rioxarray  # noqa: F401 - adds `rio`
        import xarray
    except ImportError:
        raise ConfigurationError('Arrays need: pip install "nurselog[raster]".') from None
    step = answer["spacing_km"] / _KM_PER_DEGREE
    x, columns = _axis(np.array(answer["longitude"], float), step)
    y, rows = _axis(np.array(answer["latitude"], float), step)
    bands = _bands(answer)
    values = np.full((len(bands), y.size, x.size), np.nan, np.float32)
    for index, survival in enumerate(bands.values()):
        values[index, y.size - 1 - rows, columns] = survival
    coordinates = {"band": list(bands), "y": y[::-1], "x": x}
    attributes = {"species_code": answer["species_code"], "model_version": answer["model"]["version"]}
    array = xarray.DataArray(values, coordinates, ("band", "y", "x"), "survival", attributes)
    located: DataArray = array.rio.write_crs(WGS_84)
    return located


def _bands(answer: Surface) -> dict[str, list[float]]:
    survival: Any = answer["survival"]
    return {
        f"{method}_{horizon}": values for method, of_method in survival.items() for horizon, values in of_method.items()
    }


def _axis(degrees: npt.NDArray[np.float64], step: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The coordinates of a regular axis, ascending, and the index of each point on it."""
    import numpy as np

    places, of_point = np.unique(degrees, return_inverse=True)
    gaps = np.diff(places)
    if gaps.size > 0:
        # Coordinates are rounded: steps are counted from each place to the next, not from the first.
        steps = np.round(gaps / gaps.min()).astype(np.int64)
        step = (places[-1] - places[0]) / steps.sum()
        positions = np.concatenate([[0], np.cumsum(steps)])
    else:
        positions = np.zeros(places.size, np.int64)
    start = places[0] if places.size > 0 else 0.0
    size = positions[-1] + 1 if places.size > 0 else 0
    return start + step * np.arange(size), positions[of_point]
