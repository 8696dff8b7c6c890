"""Rules that every point of the grid must meet for its columns to describe one climate."""

import numpy as np

from pipeline.grid.columns.definitions import COLUMNS
from pipeline.grid.columns.humidity import saturation_pressure

# Saturation pressure is convex, so the mean of monthly deficits exceeds the deficit of the annual means, and PRISM
# interpolates each variable separately: at Washington's plots the ratio of the two ranges from 0.95 to 1.58.
_VPD_RATIO = (0.9, 1.6)


def violations(frame):
    """Return ``{rule: number of rows that break it}`` for a frame of the grid; all zeros if it is consistent."""
    implied = saturation_pressure(frame["temperature_max"]) - saturation_pressure(frame["dew_point"])
    ratio = frame["vpd_max"] / implied
    amounts = frame[[column.name for column in COLUMNS if column.minimum == 0]]
    percents = frame[["soil_clay", "canopy_cover", "crown_ratio"]]
    rules = {
        "every value is finite": np.isfinite(frame).all(axis=1),
        "dew point is at most mean temperature": frame["dew_point"] <= frame["temperature_mean"],
        "mean temperature is at most maximum": frame["temperature_mean"] <= frame["temperature_max"],
        "January minimum is below mean temperature": frame["temperature_min_january"] < frame["temperature_mean"],
        "minimum VPD is at most maximum VPD": frame["vpd_min"] <= frame["vpd_max"],
        "maximum VPD is near what maximum temperature and dew point imply": ratio.between(*_VPD_RATIO),
        "growing season precipitation is at most annual": (
            frame["precipitation_growing_season"] <= frame["precipitation_annual"]
        ),
        "no amount is negative": (amounts >= 0).all(axis=1),
        "percentages are at most 100": (percents <= 100).all(axis=1),
    }
    return {rule: int((~holds).sum()) for rule, holds in rules.items()}
