"""Soil columns: water capacity and clay from CAMELS basin means, organic matter from precipitation.

Basin means (Addor et al. 2017, Hydrol. Earth Syst. Sci. 21:5293-5313, from STATSGO) are the only soil data among the
sources: the columns vary between basins and not between slopes.
"""

import numpy as np
import pandas as pd

from pipeline.grid.kriging import Variogram, ordinary
from pipeline.grid.projection import to_plane

BASIN_COLUMNS = ("soil_water_capacity", "soil_clay")

# Basins in and just around the two states.
_WINDOW = {"gauge_lat": (41.0, 50.0), "gauge_lon": (-126.0, -116.0)}
_VARIOGRAM = Variogram(range_km=100, nugget=0.3, km_per_100m=0.0, neighbours=32)
# A typical forest topsoil; available water changes little with it.
_ORGANIC_MATTER_PERCENT = 3.0


def read_basins(sources):
    """Read CAMELS basins in the window: a frame of ``x``, ``y`` (km), :data:`BASIN_COLUMNS` (mm and percent)."""
    soil, topography = (
        pd.read_csv(sources.path(f"camels_{table}"), sep=";", dtype={"gauge_id": str}) for table in ("soil", "topo")
    )
    basins = soil.merge(topography, on="gauge_id")
    for column, (low, high) in _WINDOW.items():
        basins = basins[basins[column].between(low, high)]
    fine_earth = basins[["sand_frac", "silt_frac", "clay_frac"]].sum(axis="columns") / 100
    sand, clay = basins["sand_frac"] / 100 / fine_earth, basins["clay_frac"] / 100 / fine_earth
    # Rock and open water within the profile store no water for plants.
    depth_mm = basins["soil_depth_statsgo"] * 1000 * np.minimum(fine_earth, 1.0)
    x, y = to_plane(basins["gauge_lat"].to_numpy(), basins["gauge_lon"].to_numpy())
    return pd.DataFrame(
        {
            "x": x,
            "y": y,
            "soil_water_capacity": (available_water(sand, clay) * depth_mm).to_numpy(),
            "soil_clay": (clay * 100).to_numpy(),
        }
    )


def available_water(sand, clay):
    """Return the water between field capacity and wilting point, volume per volume, from shares of the fine earth.

    Saxton and Rawls (2006), Soil Sci. Soc. Am. J. 70:1569-1578, table 1.
    """
    om = _ORGANIC_MATTER_PERCENT
    wilting = (
        -0.024 * sand + 0.487 * clay + 0.006 * om + 0.005 * sand * om - 0.013 * clay * om + 0.068 * sand * clay
    ) + 0.031
    wilting = wilting + 0.14 * wilting - 0.02
    capacity = (
        -0.251 * sand + 0.195 * clay + 0.011 * om + 0.006 * sand * om - 0.027 * clay * om + 0.452 * sand * clay
    ) + 0.299
    capacity = capacity + 1.283 * capacity**2 - 0.374 * capacity - 0.015
    return capacity - wilting


def interpolate_basins(values, basins, target_xyz, exclude_km=0.0):
    """Return basin means kriged to targets [M, 3] (km, km, m) from ``values`` [N] of ``basins``."""
    xyz = np.column_stack([basins["x"], basins["y"], np.zeros(len(basins))])
    return ordinary(xyz, values.to_numpy(), target_xyz * [1.0, 1.0, 0.0], _VARIOGRAM, exclude_km)


def organic_matter(precipitation):
    """Return percent organic matter of the mineral soil from annual precipitation in mm.

    Soil carbon in the forests of Oregon rises with precipitation (Homann et al. 1995, Soil Sci. Soc. Am. J.
    59:1468-1475) and is higher west of the Cascades than east; the curve is set to 2 % at 400 mm and 6 % at 2000 mm.
    """
    return np.clip(2.0 + 4.0 * np.log(precipitation / 400) / np.log(5), 1.0, 8.0)
