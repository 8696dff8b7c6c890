"""The features of grid points in a changed climate, as the service answers a `scenario`.

Temperatures move by the warming and precipitation by its percentage. Relative humidity stays, so that the maximum VPD
follows the saturation pressure at the maximum temperature. The dew point keeps its value: in the models it stands for
fog, brush and clear nights from place to place.
"""

import numpy as np

from pipeline.grid.arrow_file import Grid
from pipeline.models.features import FEATURE_NAMES


def saturation_pressure(celsius: np.ndarray) -> np.ndarray:
    """Return Magnus' formula, hPa, with the coefficients of Murray (1967)."""
    return 6.1078 * np.exp(17.269 * celsius / (237.3 + celsius))


def changed_climate(
    grid: Grid, points: np.ndarray, warming_c: float = 0.0, precipitation_change_percent: float = 0.0
) -> np.ndarray:
    """Return the features float32 [points, features] of grid points, by index or mask, in a changed climate."""
    warmest = grid.columns["temperature_max"][points].astype(np.float64)
    drier = saturation_pressure(warmest + warming_c) / saturation_pressure(warmest)
    columns = []
    for name in FEATURE_NAMES:
        values = grid.columns[name][points].astype(np.float64)
        if name.startswith("temperature_"):
            values = values + warming_c
        elif name.startswith("precipitation_"):
            values = values * (1 + precipitation_change_percent / 100)
        elif name == "vpd_max":
            values = values * drier
        columns.append(values)
    return np.column_stack(columns).astype(np.float32)
