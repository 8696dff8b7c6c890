"""Soil columns: water capacity from hydrologic units and basins, clay and depth to rock from basins.

The units of the National Hydrologic Model have the pattern (what the root zone holds, tens of square kilometres each),
GAGES-II basins the level (available water a depth times the depth to rock, at most 1.5 m; Falcone 2011, from STATSGO).
The regression of the level on the pattern is in logarithms, its residuals are kriged.

Dropped: CAMELS' `max_water_content`, the water of a saturated profile, which is not what plants can use (r 0.24 with
GAGES-II, 0.21 with the units), and available water by Saxton and Rawls from CAMELS' textures, which the landed grid had
(r 0.37 and 0.39). CAMELS' depth and clay agree with GAGES-II (r 0.84 and 0.85), so both come from the same maps.
"""

import numpy as np
from scipy.spatial import cKDTree

from pipeline.grid.kriging import CellKriging, Variogram
from pipeline.grid.projection import to_plane
from pipeline.sources.tables import read_gages, read_hydrologic_units

_WATER_VARIOGRAM = Variogram(range_km=60, nugget=0.6, km_per_100m=0.0, neighbours=32)
_BASIN_VARIOGRAM = Variogram(range_km=80, nugget=0.4, km_per_100m=0.0, neighbours=32)
_NEAR_UNITS = 4
_SPREAD_UNITS = 8
# Kept off zero, which units under cities and rock have: the regression is in logarithms.
_MIN_WATER_MM = 10.0


class SoilModel:
    """Soil water, clay and depth to rock at any place, from units and basins."""

    def __init__(self, sources):
        units = read_hydrologic_units(sources)
        # Units without trees have the values of fields, towns and sagebrush next to the forest.
        units = units[units["trees"] > 0]
        self._tree = cKDTree(_plane(units))
        self._log_water = np.log(np.maximum(units["water_mm"].to_numpy(), _MIN_WATER_MM))
        basins = read_gages(sources)
        self.xyz = np.column_stack([_plane(basins), np.zeros(len(basins))])
        self.water = (basins["awc"] * basins["rock_depth_cm"] * 10).to_numpy()
        self.clay, self.rock = basins["clay"].to_numpy(), basins["rock_depth_cm"].to_numpy()
        pattern = self.pattern(self.xyz)[0]
        self._slope, self._level = np.polyfit(pattern, np.log(self.water), 1)
        self._residual = np.log(self.water) - self._trend(pattern)
        left_out = self.water_at(self.xyz, np.arange(len(self.xyz)), self.xyz, leave_own_out=True)
        self.log_error = float(np.sqrt(((np.log(left_out) - np.log(self.water)) ** 2).mean()))

    def _trend(self, pattern):
        return self._level + self._slope * pattern

    def pattern(self, xyz):
        """Return mean and standard deviation of the logarithm of the nearest units' water, each [M]."""
        distance, near = self._tree.query(xyz[:, :2], _SPREAD_UNITS)
        weight = 1 / (distance[:, :_NEAR_UNITS] + 1.0)
        mean = (self._log_water[near[:, :_NEAR_UNITS]] * weight).sum(axis=1) / weight.sum(axis=1)
        return mean, self._log_water[near].std(axis=1)

    def water_at(self, xyz, cell, centres, leave_own_out=False):
        """Return the water capacity, mm [M], at places [M, 3]; with ``leave_own_out`` the places are the basins."""
        flat = centres * [1.0, 1.0, 0.0]
        kriging = CellKriging(self.xyz, None, self._residual, flat, _WATER_VARIOGRAM, leave_own_out)
        return np.exp(self._trend(self.pattern(xyz)[0]) + kriging.at(cell, xyz * [1.0, 1.0, 0.0]))

    def water_error(self, xyz, water):
        """Return a standard error, mm [M]: the error of a basin left out and the spread among the nearest units."""
        return water * np.hypot(self.log_error, self._slope * self.pattern(xyz)[1])

    def basin_mean_at(self, values, xyz, cell, centres, leave_own_out=False):
        """Return values [basins] kriged to places [M, 3]; with ``leave_own_out`` the places are the basins."""
        nothing, nothing_there = np.empty((len(self.xyz), 0)), np.empty((len(xyz), 0))
        flat = centres * [1.0, 1.0, 0.0]
        kriging = CellKriging(self.xyz, nothing, values, flat, _BASIN_VARIOGRAM, leave_own_out)
        return kriging.at(cell, xyz * [1.0, 1.0, 0.0], nothing_there)


def _plane(places):
    return np.column_stack(to_plane(places["latitude"].to_numpy(), places["longitude"].to_numpy()))
