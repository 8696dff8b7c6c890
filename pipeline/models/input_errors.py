"""Standard error of each feature's value as the service answers it.

It is sqrt(at_point^2 + (per_km * distance)^2 + (per_elevation_km * height)^2), with the distance to the grid point and
the height of a caller's own elevation above or below it in kilometres.

Errors at the point are the root mean square errors of ``data/README.md``, west and east of the crest together by their
numbers of places: of the elevation with the site's own, of the climate with single plots left out, which come nearest
to the situation of the grid. What grows with the distance to the point is the difference in elevation, and with it that
of the climate. Of the other features the share of the distance is not known, and the whole error is at the point.
"""

import math
from dataclasses import dataclass

import numpy as np

from pipeline.grid.arrow_file import Grid
from pipeline.models.features import FEATURE_NAMES

ELEVATION_PER_KM = 162.0
"""Metres: makes 16.8 m at the site 56 m as answered."""
MATCH_DISTANCE_KM = 0.33
"""Root mean square distance to the nearest point of a lattice of 0.93 by 0.65 km: sqrt((0.93^2 + 0.65^2) / 12)."""


@dataclass(frozen=True)
class InputError:
    """Errors in the feature's unit, or as shares of its value if ``relative``.

    ``lapse_per_km`` is the root mean square of the grid's lapse column; ``column`` names a grid column that has the
    error of each point; ``per_elevation_km`` is the error of moving the value by a kilometre of elevation.
    """

    at_point: float
    lapse_per_km: float = 0.0
    column: str | None = None
    relative: bool = False
    per_elevation_km: float = 0.0

    def as_answered(self) -> float:
        """Return the error at the root mean square distance to the point."""
        return math.hypot(self.at_point, self.lapse_per_km * ELEVATION_PER_KM / 1000 * MATCH_DISTANCE_KM)

    def entry(self) -> dict:
        """Return the manifest's ``error`` object."""
        entry = {"at_point": self.at_point, "per_km": round(self.lapse_per_km * ELEVATION_PER_KM / 1000, 3)}
        if self.per_elevation_km:
            entry["per_elevation_km"] = self.per_elevation_km
        if self.column is not None:
            entry["column"] = self.column
        if self.relative:
            entry["relative"] = True
        return entry


# Errors of values moved to another elevation: the January minimum of plots 700 to 1,000 m off their point has an RMSE
# of 1.26 C, which is 1.5 C a kilometre in addition to the error at the point. The others are in proportion to their
# errors after moves of 100 m and more (*Own elevation* in data/README.md): 0.52 C for the January minimum, 0.42 C for
# the dew point, 0.34 hPa and 8.6 %.
INPUT_ERRORS = {
    "elevation": InputError(16.8, lapse_per_km=1000.0),
    "terrain_ruggedness": InputError(7.89),
    # No truth. The error of the ruggedness as a share of its standard deviation, on the slope's.
    "slope": InputError(4.3),
    # No truth. A von Mises error of the aspect that gives eastness and northness their errors of 0.57 to 0.60 changes
    # the heat load of the grid points by this much.
    "heat_load": InputError(0.08),
    "precipitation_annual": InputError(0.0643, lapse_per_km=0.357, relative=True, per_elevation_km=0.25),
    "temperature_min_january": InputError(0.315, lapse_per_km=2.42, per_elevation_km=1.5),
    "dew_point": InputError(0.320, lapse_per_km=2.56, per_elevation_km=1.2),
    "vpd_max": InputError(0.366, lapse_per_km=5.18, per_elevation_km=1.0),
    # The error of basin means; the column adds the spread below basin scale.
    "soil_water_capacity": InputError(23.0, column="soil_water_error"),
    # The error of basin means, without the variation inside a basin, which has no truth: at least this much.
    "soil_clay": InputError(4.55),
    # No truth. Canopy cover's error of 16.5 percent makes 8.5 through the relation; 7.4 and 3.0 are for its two assumed
    # constants (70 off by 25, 90 off by 5).
    "crown_ratio": InputError(11.7),
}


def standard_errors(grid: Grid, points: np.ndarray) -> np.ndarray:
    """Return the errors as answered [points, features] at some points of the grid, in the features' units."""
    errors = []
    for name in FEATURE_NAMES:
        error = INPUT_ERRORS[name]
        size = grid.columns[error.column][points] if error.column else np.full(len(points), error.as_answered())
        errors.append(size * grid.columns[name][points] if error.relative else size)
    return np.column_stack(errors)
