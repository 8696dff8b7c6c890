"""The inputs of the models at the places of plantings, and their standard errors.

A planting stands at the nearest grid point, moved to the stand's own elevation as `elevation_m` of the service does;
or, if its place is known to kilometres only, at grid points spread over the circle and the elevations stated; or,
outside the grid, in the climate of :mod:`.outside`. Practice features are those of the treatment, else the default.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pipeline.evaluation.evidence.check import EvidenceError
from pipeline.evaluation.evidence.outside import OutsidePlaces
from pipeline.evaluation.evidence.plantings import DATA, Planting
from pipeline.grid.arrow_file import Grid
from pipeline.grid.projection import great_circle_km

MAX_DISTANCE_KM = 10.0
"""City parks lie farther from a forest point than a place of a request may (0.8 km)."""
POINTS_OF_CIRCLE = 40
METRES_PER_KM = 1000
MAX_RISE_M = 1000
"""Maximum height above or below the grid point, as of the service: elevations in feet are mostly beyond it."""
_LAPSE_OF_LOGARITHM = "1/km"


@dataclass(frozen=True)
class Inputs:
    """Features and standard errors, float64 [points, features], and how they were found: grid, circle or climate."""

    features: np.ndarray
    errors: np.ndarray
    found: str


class PlaceReader:
    """Reads the inputs of plantings for models with the features of a manifest."""

    def __init__(self, grid: Grid, features: list[dict], outside: OutsidePlaces):
        self._grid, self._features, self._outside = grid, features, outside
        self._places = {(place["source"], place["place"]): place for place in read_places()}

    def inputs(self, planting: Planting) -> Inputs:
        """Return the inputs of a planting; EvidenceError if its place is neither on the grid nor of a known climate."""
        place = self._places[planting.source, planting.place]
        if not np.isnan(place["radius_km"]):
            points, found = self._circle(place), "circle"
            if not len(points):
                raise _wrong(
                    place, "no grid point lies within its radius_km and elevations: correct these or its degrees"
                )
            rows = [self._at_point(point, 0.0, np.nan) for point in points]
        elif self._outside.has(planting.source, planting.place):
            outside, found = self._outside.at(planting.source, planting.place), "climate"
            grid_values = [feature["name"] for feature in self._features if "default" not in feature]
            rows = [
                (
                    np.array([outside.means[name] for name in grid_values]),
                    np.array([outside.errors[name] for name in grid_values]),
                )
            ]
        else:
            distances = great_circle_km(
                self._grid.latitude, self._grid.longitude, place["latitude"], place["longitude"]
            )
            point, found = int(np.argmin(distances)), "grid"
            if distances[point] > MAX_DISTANCE_KM:
                raise _wrong(
                    place,
                    f"the nearest grid point to latitude {place['latitude']:g}, longitude {place['longitude']:g} is "
                    f"{distances[point]:,.0f} km away: correct these, or have `evidence --sources DIR` measure the "
                    "climate of a place outside the two states",
                )
            at_point, own = float(self._grid.columns["elevation"][point]), place["elevation_m"]
            if abs(own - at_point) > MAX_RISE_M:
                raise _wrong(
                    place,
                    f"elevation_m must be within {MAX_RISE_M} m of the nearest grid point's {at_point:.0f} m, "
                    f"not {own:g}",
                )
            rows = [self._at_point(point, float(distances[point]), own)]
        # In the order of the manifest, where a feature of practice may stand anywhere.
        of_practice = np.array(["default" in feature for feature in self._features])
        features, errors = np.zeros((2, len(rows), len(self._features)))
        features[:, ~of_practice], errors[:, ~of_practice] = (np.stack(columns) for columns in zip(*rows, strict=True))
        features[:, of_practice] = [
            planting.practice.get(feature["name"], feature["default"])
            for feature in self._features
            if "default" in feature
        ]
        return Inputs(features, errors, found)

    def _circle(self, place: dict) -> np.ndarray:
        """Return grid points evenly spread over those in the circle and between the elevations."""
        distances = great_circle_km(self._grid.latitude, self._grid.longitude, place["latitude"], place["longitude"])
        elevation = self._grid.columns["elevation"]
        low, high = (place[name] for name in ("elevation_low", "elevation_high"))
        within = distances <= place["radius_km"]
        if not np.isnan(low):
            within &= (elevation >= low) & (elevation <= high)
        points = np.flatnonzero(within)
        return points[np.linspace(0, len(points) - 1, min(POINTS_OF_CIRCLE, len(points))).round().astype(int)]

    def _at_point(self, point: int, distance_km: float, elevation_m: float) -> tuple[np.ndarray, np.ndarray]:
        """Return values and errors [grid features] at a point, moved to an elevation that is not NaN."""
        columns = self._grid.columns
        is_moved = not np.isnan(elevation_m)
        rise_km = (elevation_m - float(columns["elevation"][point])) / METRES_PER_KM if is_moved else 0.0
        values, errors = [], []
        for feature in self._features:
            if "default" in feature:
                continue
            name, error = feature["name"], feature["error"]
            value = float(columns[name][point])
            lapse = columns.get(f"lapse_{name}")
            size = float(columns[error["column"]][point]) if "column" in error else error["at_point"]
            parts = [size, error["per_km"] * distance_km]
            if is_moved and (name == "elevation" or lapse is not None):
                parts = [size, error.get("per_elevation_km", 0.0) * rise_km]
                value = elevation_m if name == "elevation" else self._moved(value, name, float(lapse[point]) * rise_km)
            values.append(value)
            errors.append(np.hypot(*parts) * (value if error.get("relative") else 1.0))
        return np.array(values), np.array(errors)

    def _moved(self, value: float, name: str, change: float) -> float:
        if self._grid.units[f"lapse_{name}"] == _LAPSE_OF_LOGARITHM:
            return value * float(np.exp(change))
        return value + change


def read_places() -> list[dict]:
    """Return the places of the plantings: line, source, place, degrees, metres; NaN for what is not known."""
    places = pd.read_csv(DATA / "places.csv")
    return places.assign(line=range(2, len(places) + 2)).to_dict("records")


def _wrong(place: dict, what: str) -> EvidenceError:
    return EvidenceError(
        f"{DATA / 'places.csv'}: line {place['line']}: {place['source']!r}, {place['place']!r}: {what}"
    )


def outside_places(grid: Grid) -> list[dict]:
    """Return the places whose inputs come from their climate: no circle, and farther than MAX_DISTANCE_KM."""

    def is_outside(place: dict) -> bool:
        distances = great_circle_km(grid.latitude, grid.longitude, place["latitude"], place["longitude"])
        return np.isnan(place["radius_km"]) and distances.min() > MAX_DISTANCE_KM

    return [place for place in read_places() if is_outside(place)]
