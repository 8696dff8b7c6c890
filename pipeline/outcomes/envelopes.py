"""Species envelopes: the climate of the forested grid points inside a species' native range.

Ranges are Little's (1971) maps, which the grid holds as bits.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.grid.arrow_file import Grid
from pipeline.outcomes.species import all_species

# Quantiles of the points inside the range that bound an axis. Range maps of mountain trees include valley floors, so
# the warm, low side is cut more than the cold, high side, where the trees do grow up to the limit.
LIMITS = {
    "elevation": (0.15, 0.95),
    "precipitation_annual": (0.05, 0.88),
    "temperature_min_january": (0.02, 0.88),
    "dew_point": (0.02, 0.98),
    "vpd_max": (0.05, 0.95),
}
LOGARITHMIC_AXES = frozenset({"precipitation_annual"})
# A range that barely reaches the two states (coast redwood, Jeffrey pine) shows less than the species tolerates.
MIN_HALF_WIDTH_SD = 0.6


@dataclass(frozen=True)
class Envelope:
    """Limits of a species by axis, on its scale (logarithm of mm for precipitation); `inside` is bool [points]."""

    inside: np.ndarray
    low: dict[str, float]
    high: dict[str, float]
    spread: dict[str, float]


def axis_values(grid: Grid, axis: str) -> np.ndarray:
    """Return a column [points] as float64 on the scale of its envelope."""
    values = grid.columns[axis].astype(np.float64)
    return np.log(values) if axis in LOGARITHMIC_AXES else values


def species_envelopes(grid: Grid) -> list[Envelope]:
    """Return one envelope a species, in model order."""
    spread = {axis: float(axis_values(grid, axis).std()) for axis in LIMITS}
    envelopes = []
    for index, species in enumerate(all_species()):
        inside = grid.in_range(index)
        if not inside.any():
            raise ValueError(f"no grid point lies in the native range of {species.species_code}")
        low, high = {}, {}
        for axis, limits in LIMITS.items():
            first, median, last = np.quantile(axis_values(grid, axis)[inside], (limits[0], 0.5, limits[1]))
            half_width = MIN_HALF_WIDTH_SD * spread[axis]
            low[axis], high[axis] = min(first, median - half_width), max(last, median + half_width)
        envelopes.append(Envelope(inside, low, high, spread))
    return envelopes
