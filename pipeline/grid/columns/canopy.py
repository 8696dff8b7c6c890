"""Tree canopy cover from the forested plots and the hydrologic units, and crown ratio derived from it."""

import numpy as np

from pipeline.grid.kriging import CellKriging, Variogram

_VARIOGRAM = Variogram(range_km=25, nugget=2.0, km_per_100m=2.0, neighbours=48)

# Crowns of open-grown conifers reach nearly to the ground; in closed stands they are about half as long.
_OPEN_GROWN_PERCENT = 90.0
_HALVED_AT_COVER_PERCENT = 70.0


def interpolate_canopy(cover, drift, xyz, target_drift, target_xyz, cell, centres):
    """Return the canopy cover, percent [M], of forest at targets, from forested plots and a drift [N, Q]."""
    kriging = CellKriging(xyz, drift, cover, centres, _VARIOGRAM)
    return np.clip(kriging.at(cell, target_xyz, target_drift), 0.0, 100.0)


def crown_ratio(canopy_cover):
    """Return live crown length in percent of tree height from canopy cover in percent.

    The hyperbola in stand density of Holdaway (1986), Modeling tree crown ratio, For. Chron. 62:451-455, with
    canopy cover for basal area; its two constants are assumptions, not fits.
    """
    return _OPEN_GROWN_PERCENT / (1 + canopy_cover / _HALVED_AT_COVER_PERCENT)
