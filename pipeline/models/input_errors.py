"""Standard error of each feature's value as the service answers it: sqrt(at_point^2 + (per_km * distance)^2).

The root mean square errors are those of ``data/README.md``, west and east of the crest together by their numbers of
places. A feature with an error at the site's own elevation has that error at the point, and the remainder grows with
the distance to it; of the others the share of the distance is not known, and the whole error is at the point.
"""

import math
from dataclasses import dataclass

MATCH_DISTANCE_KM = 0.33
"""Root mean square distance to the nearest point of a lattice of 0.93 by 0.65 km."""


@dataclass(frozen=True)
class InputError:
    """Errors in the feature's unit: as answered, and at the site's own elevation if it moves with elevation.

    ``column`` names a grid column that has the error of each point.
    """

    as_answered: float
    own_elevation: float | None = None
    column: str | None = None

    def entry(self) -> dict:
        """Return the manifest's ``error`` object."""
        at_point = self.as_answered if self.own_elevation is None else self.own_elevation
        per_km = math.sqrt(self.as_answered**2 - at_point**2) / MATCH_DISTANCE_KM
        numbers = {"at_point": at_point, "per_km": round(per_km, 2)}
        return numbers if self.column is None else {**numbers, "column": self.column}


INPUT_ERRORS = {
    "elevation": InputError(57.0, 16.8),
    "terrain_ruggedness": InputError(7.97),
    # No truth. A von Mises error of the aspect that gives eastness and northness their errors of 0.58 to 0.60 changes
    # the heat load of the grid points by this much.
    "heat_load": InputError(0.08),
    # In mm: 10 % of the mean in the west, 14 % in the east.
    "precipitation_annual": InputError(167.4, 165.8),
    "temperature_min_january": InputError(0.458, 0.437),
    "dew_point": InputError(0.482, 0.446),
    "vpd_max": InputError(0.590, 0.507),
    # The error of basin means; the column adds the spread below basin scale.
    "soil_water_capacity": InputError(23.0, column="soil_water_error"),
    # The error of basin means, without the variation inside a basin, which has no truth: at least this much.
    "soil_clay": InputError(4.55),
    # No truth. Canopy cover's error of 16.5 percent makes 8.5 through the relation; 7.4 and 3.0 are for its two assumed
    # constants (70 off by 25, 90 off by 5).
    "crown_ratio": InputError(11.7),
}
