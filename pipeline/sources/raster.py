"""Single-band longitude-latitude rasters, read with GDAL, and their interpolated values at points."""

from dataclasses import dataclass, replace

import numpy as np
import rasterio
from scipy.ndimage import distance_transform_edt, map_coordinates


@dataclass(frozen=True)
class Raster:
    """``values`` float64 [rows, columns] at cell centres, row 0 northernmost; missing cells are NaN.

    ``west`` and ``north`` are the centre of the north-western cell and ``cell_deg`` the cell size, in degrees.
    """

    values: np.ndarray
    west: float
    north: float
    cell_deg: float

    def filled(self):
        """Return the raster with every missing cell set to the value of the nearest cell that has one."""
        missing = np.isnan(self.values)
        nearest = distance_transform_edt(missing, return_distances=False, return_indices=True)
        return replace(self, values=self.values[tuple(nearest)])

    def sample(self, latitude, longitude, order=1):
        """Return spline-interpolated values [N] at degrees [N]; ``order`` 1 is bilinear. No cell may be missing."""
        column = (np.asarray(longitude) - self.west) / self.cell_deg
        row = (self.north - np.asarray(latitude)) / self.cell_deg
        return map_coordinates(self.values, [row, column], order=order)


def read_raster(path):
    """Read the first band of any file or ``zip://archive!member`` that GDAL knows as a :class:`Raster`."""
    with rasterio.open(path) as dataset:
        values = dataset.read(1, masked=True).astype(float).filled(np.nan)
        west, north = dataset.xy(0, 0)
        return Raster(values, west, north, dataset.res[0])
