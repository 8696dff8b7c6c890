"""Tables of hydrologic units and of basins, with the units of the grid."""

import numpy as np
import pandas as pd

from pipeline.sources.manifest import SourceError

_MM_PER_INCH = 25.4
# Maximum water in the root zone of a hydrologic unit, in inches; a larger value is in another unit.
_MAX_INCHES = 30.0


def read_hydrologic_units(sources):
    """Return the units of the National Hydrologic Model v1.1: place, ``water_mm``, ``tree_cover`` (0 to 1), ``trees``.

    ``water_mm`` is what the root zone holds, ``trees`` whether trees are the dominant cover.
    """
    raw = _read_csv(sources, "hydrologic_units", ["hru_lat", "hru_lon", "soil_moist_max", "cov_type", "covden_sum"])
    if not raw["soil_moist_max"].between(0, _MAX_INCHES).all():
        raise SourceError(f"hydrologic_units: soil_moist_max is not in inches (0 to {_MAX_INCHES:g})")
    return pd.DataFrame(
        {
            "latitude": raw["hru_lat"],
            "longitude": raw["hru_lon"],
            "water_mm": raw["soil_moist_max"] * _MM_PER_INCH,
            "tree_cover": raw["covden_sum"],
            "trees": raw["cov_type"].isin([3, 4]).astype(float),
        }
    )


def read_impervious(sources):
    """Return the units of the National Hydrologic Model v1.0: place and impervious share, 0 to 1."""
    raw = _read_csv(sources, "hydrologic_units_v10", ["hru_lat", "hru_lon", "hru_percent_imperv"])
    return pd.DataFrame(
        {"latitude": raw["hru_lat"], "longitude": raw["hru_lon"], "impervious": raw["hru_percent_imperv"]}
    )


def read_gages(sources):
    """Return the GAGES-II basins: place, ``awc`` (volume a volume), ``clay`` (percent), ``rock_depth_cm``, ``area``."""
    columns = ["LAT_CENT", "LONG_CENT", "AWCAVE", "CLAYAVE", "ROCKDEPAVE", "DRAIN_SQKM"]
    raw = _read_csv(sources, "gages_basins", columns).replace(-9999.0, np.nan)
    basins = pd.DataFrame(
        {
            "latitude": raw["LAT_CENT"],
            "longitude": raw["LONG_CENT"],
            "awc": raw["AWCAVE"],
            "clay": raw["CLAYAVE"],
            "rock_depth_cm": raw["ROCKDEPAVE"] * _MM_PER_INCH / 10,
            "area_km2": raw["DRAIN_SQKM"],
        }
    )
    return basins.dropna().reset_index(drop=True)


def _read_csv(sources, name, needed):
    path = sources.path(name)
    try:
        table = pd.read_csv(path)
    except (ValueError, pd.errors.ParserError) as error:
        raise SourceError(f"{name}: {path} is not a readable table: {error}") from error
    missing = [column for column in needed if column not in table.columns]
    if missing:
        raise SourceError(f"{name}: {path} has no column {', '.join(missing)}")
    if table[needed[-1]].isna().iloc[-1]:
        raise SourceError(f"{name}: {path} ends in the middle of a line (truncated?)")
    return table
