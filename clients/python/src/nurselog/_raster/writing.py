"""Bands of survival: written window by window, then copied to a cloud-optimised GeoTIFF or read as a DataArray."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import rasterio
import rioxarray
import xarray
from rasterio.shutil import copy
from rasterio.windows import Window

from nurselog._raster.cells import WINDOW_CELLS

_COG = {
    "compress": "DEFLATE",
    "predictor": "YES",
    "overview_resampling": "AVERAGE",
    "bigtiff": "IF_SAFER",
    "num_threads": "ALL_CPUS",
}

# Otherwise overviews are made from whole rows of all bands.
_OVERVIEW_BYTES = 20_000_000


class BandsFile:
    """A file with the cells of a template and a band for each name, NaN where nothing is written."""

    def __init__(self, folder: Path, template: Any, names: Sequence[str]) -> None:  # noqa: ANN401 - rasterio has no types
        """Creates the file in a folder for temporary files."""
        self._path, self._names = folder / "windows.tif", names
        self._dataset = rasterio.open(
            self._path,
            "w",
            driver="GTiff",
            count=len(names),
            dtype="float32",
            nodata=np.nan,
            crs=template.crs,
            transform=template.transform,
            width=template.width,
            height=template.height,
            tiled=True,
            blockxsize=WINDOW_CELLS,
            blockysize=WINDOW_CELLS,
            compress="DEFLATE",
            zlevel=1,
            sparse_ok=True,
            bigtiff="IF_SAFER",
        )

    def write(self, window: Window, values: npt.NDArray[np.float32]) -> None:
        """Writes all bands in a window: an array of bands, rows and columns."""
        self._dataset.write(values, window=window)

    def close(self) -> None:
        """Closes the file."""
        self._dataset.close()

    def finish(self, output: Path | None, tags: Mapping[str, str], template: object) -> xarray.DataArray:
        """The bands as an array: of `output`, from which values are read as they are needed, or else in memory.

        Rows and columns of a DataArray as `template` keep their names and coordinates.

        Raises:
            OSError: `output` cannot be written.
        """
        self._dataset.descriptions = self._names
        self._dataset.update_tags(**tags)
        self._dataset.close()
        if output is None:
            with rioxarray.open_rasterio(self._path, masked=True) as bands:
                return self._named(bands.load(), template)
        whole = self._path.with_name("whole.tif")
        try:
            with rasterio.Env(GDAL_OVR_CHUNK_MAX_SIZE=_OVERVIEW_BYTES):
                copy(self._path, whole, driver="COG", **_COG)
            whole.replace(output)
        except rasterio.errors.RasterioError as error:
            raise OSError(f"{output} cannot be written: {error}") from error
        return self._named(rioxarray.open_rasterio(output, masked=True), template)

    def _named(self, bands: xarray.DataArray, template: object) -> xarray.DataArray:
        named: xarray.DataArray = bands.assign_coords(band=list(self._names))
        if not isinstance(template, xarray.DataArray):
            return named
        # Those of the file may differ in the last digits: xarray would not align the two arrays.
        y, x = template.rio.y_dim, template.rio.x_dim
        coordinates = {name: template[name].variable for name in (y, x) if name in template.coords}
        placed = named.rename({"y": y, "x": x}).assign_coords(coordinates)
        # rioxarray finds only some names by itself.
        located: xarray.DataArray = placed.rio.set_spatial_dims(x, y).rio.write_coordinate_system()
        return located
