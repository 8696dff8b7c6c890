"""Elevation and ruggedness from the PRISM elevation grid and, for ruggedness, the plots."""

import numpy as np
from scipy.ndimage import gaussian_filter

from pipeline.grid.kriging import Variogram, universal
from pipeline.sources.raster import Raster, read_raster

# Of spline orders 1 to 5 the quadratic is closest to the elevations of the plots.
_SPLINE_ORDER = 2
_RUGGEDNESS_VARIOGRAM = Variogram(range_km=15, nugget=2.0, km_per_100m=1.0, neighbours=40)


class Terrain:
    """The 2.5 arc-minute elevation grid, with cells of about 4.6 km by 3.2 km."""

    def __init__(self, sources):
        self._elevation = read_raster(sources.path("elevation"))
        z = self._elevation.values
        variance = gaussian_filter(z**2, 1) - gaussian_filter(z, 1) ** 2
        self._relief = Raster(
            np.sqrt(np.maximum(variance, 0)), self._elevation.west, self._elevation.north, self._elevation.cell_deg
        )

    def elevation(self, latitude, longitude):
        """Return metres above sea level, [N]; the spline's undershoot below zero is cut off."""
        return np.maximum(self._elevation.sample(latitude, longitude, _SPLINE_ORDER), 0.0)

    def is_sea(self, latitude, longitude):
        """Return a boolean [N]: the nearest cell is at exactly 0 m, which no cell on land is."""
        return self._elevation.sample(latitude, longitude, order=0) == 0

    def relief(self, latitude, longitude):
        """Return the standard deviation of elevation among the surrounding cells, metres, [N]."""
        return self._relief.sample(latitude, longitude)


def interpolate_ruggedness(ruggedness, xyz, relief, target_xyz, target_relief, exclude_km=0.0):
    """Return the terrain ruggedness index, metres [M], kriged from the plots with local relief as drift."""
    values = universal(
        xyz, relief[:, None], ruggedness, target_xyz, target_relief[:, None], _RUGGEDNESS_VARIOGRAM, exclude_km
    )
    return np.maximum(values, 0.0)
