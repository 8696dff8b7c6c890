"""The environment on the scales of the simulation, and species envelopes.

An envelope is the climate of the forested grid points inside a species' native range: Little's (1971) maps, which the
grid holds as bits.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from pipeline.grid.arrow_file import Grid
from pipeline.outcomes.crest import crest_longitude
from pipeline.outcomes.species import all_species

# Quantiles of the points inside the range that bound an axis. Range maps of mountain trees include valley floors, so
# the warm, low side is cut more than the cold, high side, where the trees do grow up to the limit.
LIMITS = {
    "precipitation_annual": (0.05, 0.93),
    "temperature_min_january": (0.02, 0.88),
    "dew_point": (0.02, 0.98),
    "vpd_max": (0.02, 0.98),
}
OTHER_COLUMNS = (
    "elevation",
    "heat_load",
    "soil_water_capacity",
    "soil_clay",
    "crown_ratio",
    "terrain_ruggedness",
    "slope",
)
# Seed is available from all but the rarest sites of the range.
LOCAL_SEED = (0.05, 0.95)
AXES = (*LIMITS, *OTHER_COLUMNS)
LOGARITHMIC_AXES = frozenset({"precipitation_annual"})
# A range that barely reaches the two states (coast redwood, Jeffrey pine) shows less than the species tolerates.
MIN_HALF_WIDTH_SD = 0.35
# Forest zones lie lower to the north and higher in the interior (Franklin and Dyrness 1973).
ZONE_LATITUDE = 45.0
ZONE_M_PER_DEGREE = 100.0
ZONE_RISE_EAST_M = 350.0
CREST_HALF_WIDTH_DEG = 0.15


@dataclass(frozen=True)
class Scale:
    """Median and normal standard deviation by the quartiles of each axis over the grid."""

    middle: dict[str, float]
    spread: dict[str, float]

    @classmethod
    def of_grid(cls, grid: Grid) -> "Scale":
        """Return the scale of the grid."""
        quartiles = {name: np.quantile(axis_values(grid, name), (0.25, 0.5, 0.75)) for name in AXES}
        return cls(
            {name: float(q50) for name, (_, q50, _) in quartiles.items()},
            {name: float(q75 - q25) / 1.349 for name, (q25, _, q75) in quartiles.items()},
        )


@dataclass(frozen=True)
class Environment:
    """Columns at some points, float64 [points]: `axes` on the scale of envelopes, `scores` standardised over the grid.

    A score is the value less the median of the grid, in normal standard deviations of its quartiles. `zone_shift` is
    what is added to the elevation, m, to compare it with the zones of species.
    """

    axes: dict[str, np.ndarray]
    scores: dict[str, np.ndarray]
    zone_shift: np.ndarray

    @classmethod
    def of_grid(cls, grid: Grid) -> "Environment":
        """Return the environment of every point of the grid."""
        values = {name: grid.columns[name] for name in AXES}
        return cls.of_values(values, grid.latitude, grid.longitude, Scale.of_grid(grid))

    @classmethod
    def of_values(
        cls, values: dict[str, np.ndarray], latitude: np.ndarray, longitude: np.ndarray, scale: Scale
    ) -> "Environment":
        """Return the environment of places [points] from the values of the columns `AXES` in the grid's units."""
        axes = {name: on_axis(name, np.asarray(values[name], dtype=np.float64)) for name in AXES}
        return cls.of_axes(axes, zone_shift(latitude, longitude), scale)

    @classmethod
    def of_axes(cls, axes: dict[str, np.ndarray], shift: np.ndarray, scale: Scale) -> "Environment":
        """Return the environment of places [points] from their axes and what moves their elevations to the zones'."""
        scores = {name: (axis - scale.middle[name]) / scale.spread[name] for name, axis in axes.items()}
        return cls(axes, scores, shift)

    def at(self, points: np.ndarray) -> "Environment":
        """Return the environment of the points with these indices, or of those where a mask is true."""
        return Environment(
            {name: values[points] for name, values in self.axes.items()},
            {name: values[points] for name, values in self.scores.items()},
            self.zone_shift[points],
        )


@dataclass(frozen=True)
class Envelope:
    """A species' limits by axis, on its scale (logarithm of mm for precipitation).

    `inside` is bool [points of the grid]; `spread` is the standard deviation of the axis over the grid; `local_seed`
    has the lowest and highest score of each column from which seed of the species comes.
    """

    inside: np.ndarray
    low: dict[str, float]
    high: dict[str, float]
    spread: dict[str, float]
    local_seed: dict[str, tuple[float, float]]


def axis_values(grid: Grid, axis: str) -> np.ndarray:
    """Return a column [points] as float64 on the scale of its envelope."""
    return on_axis(axis, grid.columns[axis].astype(np.float64))


def zone_shift(latitude: np.ndarray, longitude: np.ndarray) -> np.ndarray:
    """Return the metres [points] to add to an elevation to compare it with zones at 45 N west of the crest."""
    east = expit((longitude - crest_longitude(latitude)) / CREST_HALF_WIDTH_DEG)
    return ZONE_M_PER_DEGREE * (latitude - ZONE_LATITUDE) - ZONE_RISE_EAST_M * east


def on_axis(axis: str, values: np.ndarray) -> np.ndarray:
    """Return values of a column in the grid's units on the scale of its envelope."""
    return np.log(values) if axis in LOGARITHMIC_AXES else values


def species_envelopes(grid: Grid, environment: Environment) -> list[Envelope]:
    """Return one envelope per species, in model order."""
    spread = {axis: float(environment.axes[axis].std()) for axis in LIMITS}
    envelopes = []
    for index, species in enumerate(all_species()):
        inside = grid.in_range(index)
        if not inside.any():
            raise ValueError(f"no grid point lies in the native range of {species.species_code}")
        low, high = {}, {}
        for axis, limits in LIMITS.items():
            first, median, last = np.quantile(environment.axes[axis][inside], (limits[0], 0.5, limits[1]))
            half_width = MIN_HALF_WIDTH_SD * spread[axis]
            low[axis], high[axis] = min(first, median - half_width), max(last, median + half_width)
        local_seed = {
            name: tuple(np.quantile(scores[inside], LOCAL_SEED).tolist()) for name, scores in environment.scores.items()
        }
        envelopes.append(Envelope(inside, low, high, spread, local_seed))
    return envelopes
