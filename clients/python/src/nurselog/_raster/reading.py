"""Rasters as datasets of rasterio, whatever they are given as, and the elevations of a template's cells."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyproj
import rasterio
import xarray
from rasterio.enums import ColorInterp, Resampling
from rasterio.io import DatasetReader, DatasetWriter
from rasterio.vrt import WarpedVRT
from rasterio.windows import Window

from nurselog.errors import InvalidRequestError

Values = npt.NDArray[np.float64]

# Of an array from a file the blocks would be those of the file, whose strips cannot be tiles.
_TILES = {"tiled": True, "blockxsize": 256, "blockysize": 256}

# Of a cell: less than any gap makes of even cells, more than float32 rounds the coordinates of cells of 10 m.
_TOLERANCE = 0.1

# What begins with metres may go on with feet that it was converted from.
_FEET = re.compile(
    r"^(?!\W*m(et|(?![a-z]))).*(?<![a-z])(us)?(survey)?f(ee|oo)?t(us|int|survey|(?![a-z]))", re.IGNORECASE
)


def open_raster(raster: object, folder: Path, opened: ExitStack) -> Any:  # noqa: ANN401 - rasterio has no types
    """The dataset of a path, a dataset, which stays open, or a DataArray, which is written to `folder`.

    Raises:
        InvalidRequestError: It cannot be read, has no coordinate reference system, or its cells are unevenly spaced.
        TypeError: It is none of these.
    """
    if isinstance(raster, (DatasetReader, DatasetWriter, WarpedVRT)):
        dataset = raster
    elif isinstance(raster, (str, os.PathLike)):
        try:
            dataset = opened.enter_context(rasterio.open(raster))
        except rasterio.RasterioIOError as error:
            raise InvalidRequestError(f"{os.fspath(raster)} cannot be read as a raster: {error}.") from None
    elif isinstance(raster, xarray.DataArray):
        dataset = opened.enter_context(rasterio.open(_written(raster, folder)))
        _refuse_uneven(raster, dataset.transform)
    else:
        kind = f"{type(raster).__module__}.{type(raster).__qualname__}"
        raise TypeError(f"a raster must be a path, a dataset of rasterio or a DataArray of xarray, not {kind}")
    if dataset.crs is None:
        raise InvalidRequestError(
            f"{name_of(raster)} has no coordinate reference system: name it, such as by "
            '"gdal_edit.py -a_srs EPSG:26910 FILE" or rio.write_crs("EPSG:26910").'
        )
    return dataset


def name_of(raster: object) -> str:
    """A raster in messages."""
    if isinstance(raster, (str, os.PathLike)):
        return str(os.fspath(raster))
    return "The DataArray" if isinstance(raster, xarray.DataArray) else str(getattr(raster, "name", raster))


def is_same(raster: object, other: object) -> bool:
    """Whether two rasters are one, so that it need not be read twice."""
    paths = (str, os.PathLike)
    if isinstance(raster, paths) and isinstance(other, paths):
        return os.fspath(raster) == os.fspath(other)
    return raster is other


def refuse_overwriting(output: Path | None, raster: object, dataset: Any) -> None:  # noqa: ANN401 - rasterio has no types
    """Raises InvalidRequestError where the output is a file that a raster is read from, by whatever path."""
    if output is None or not output.exists():
        return
    files = [Path(file) for file in dataset.files]
    if isinstance(raster, xarray.DataArray):
        files.append(Path(str(raster.encoding.get("source"))))
    if any(file.exists() and file.samefile(output) for file in files):
        raise InvalidRequestError(
            f"{output} cannot be written: the values of {name_of(raster)} are read from it. Name another output."
        )


def on_cells_of(template: Any, elevation: Any, opened: ExitStack) -> Any:  # noqa: ANN401 - rasterio has no types
    """The elevations at the cells of a template, interpolated where the two grids differ."""
    grid = {name: getattr(template, name) for name in ("crs", "transform", "width", "height")}
    if all(getattr(elevation, name) == value for name, value in grid.items()):
        return elevation
    return opened.enter_context(
        WarpedVRT(
            elevation,
            **grid,
            resampling=Resampling.bilinear,
            src_nodata=elevation.nodata,
            nodata=np.nan,
            dtype="float64",
        )
    )


def check_elevations(raster: object, dataset: Any) -> None:  # noqa: ANN401 - rasterio has no types
    """Raises InvalidRequestError where elevations are in feet, or where it is not clear whether they are scaled."""
    unit = _unit(raster, dataset)
    if unit is not None and _FEET.search(unit):
        raise InvalidRequestError(
            f"The elevations of {name_of(raster)} are in {unit!r}: give them in metres. If they already are, correct "
            'the unit by "gdal_edit.py -units m FILE" or attrs["units"] = "m".'
        )
    if isinstance(raster, xarray.DataArray) and raster.dtype.kind == "f" and _has_scale(raster):
        raise InvalidRequestError(
            "The elevations of the DataArray may be scaled already, or have yet to be scaled by its attrs scale_factor "
            "and add_offset: open its file with mask_and_scale=True, or delete the two if its values are metres."
        )


def _unit(raster: object, dataset: Any) -> str | None:  # noqa: ANN401 - rasterio has no types
    """The unit that a raster states for its values, or else for the heights of its reference system."""
    # The file of an array does not have its unit.
    stated = raster.attrs.get("units") if isinstance(raster, xarray.DataArray) else dataset.units[0]
    if stated:
        return str(stated)
    axes = pyproj.CRS.from_wkt(dataset.crs.to_wkt()).axis_info
    return next((axis.unit_name for axis in axes if axis.direction == "up"), None)


def _has_scale(array: xarray.DataArray) -> bool:
    return bool((array.attrs.get("scale_factor", 1), array.attrs.get("add_offset", 0)) != (1, 0))


def values_of(dataset: Any, window: Window) -> Values:  # noqa: ANN401 - rasterio has no types
    """The first band in a window, scaled as the dataset says; NaN where it has no data."""
    band = dataset.read(1, window=window, masked=True)
    values: Values = band.astype("float64").filled(np.nan) * dataset.scales[0] + dataset.offsets[0]
    if ColorInterp.alpha in dataset.colorinterp:  # which GDAL masks by in some types of numbers only
        alpha = dataset.read(dataset.colorinterp.index(ColorInterp.alpha) + 1, window=window)
        values[alpha == 0] = np.nan
    return values


def _refuse_uneven(array: xarray.DataArray, transform: Any) -> None:  # noqa: ANN401 - affine has no types
    """Raises InvalidRequestError where the cells of the written file are at other coordinates than those of the array.

    These are then unevenly spaced, or a single row or column, which has no height or width.
    """
    if not transform.is_rectilinear:
        return  # coordinates of rows and columns cannot tell the places
    for name, start, step in (
        (array.rio.x_dim, transform.c, transform.a),
        (array.rio.y_dim, transform.f, transform.e),
    ):
        even = start + step * (np.arange(array.sizes[name]) + 0.5)
        if name in array.coords and not (np.abs(array[name].to_numpy() - even) <= _TOLERANCE * abs(step)).all():
            raise InvalidRequestError(
                f"The cells of the DataArray cannot be located: its {name!r} is not evenly spaced, or it has a single "
                "row or column. Keep the cells between, such as by where(mask) without drop=True, and give a "
                "single row or column its place with rio.write_transform."
            )


def _written(array: xarray.DataArray, folder: Path) -> Path:
    """The array as a file: what does not fit into the memory is written block by block."""
    import rioxarray  # noqa: F401 - adds `rio`

    path = folder / f"{id(array)}.tif"
    plain = array.astype("uint8") if array.dtype == bool else array
    try:
        plain.rio.to_raster(path, **_TILES, windowed=array.chunks is not None, BIGTIFF="IF_SAFER")
    except Exception as error:  # of rioxarray and rasterio, without a common class
        raise InvalidRequestError(f"The DataArray cannot be read as a raster: {error}.") from None
    return path
