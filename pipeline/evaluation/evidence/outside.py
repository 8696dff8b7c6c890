"""The environment of places outside the grid, from their climate.

Climate surfaces of western North America (`climate_surfaces/` of the sources) give the 1961-90 normals of any place at
its own elevation. They are moved to the grid's normals by the median difference over grid points. Humidity, which the
surfaces lack, comes from a regression on these over the grid; terrain and soil are the grid's medians, with the grid's
spread as their error.
"""

import json
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from pipeline.evaluation.evidence.plantings import DATA
from pipeline.grid.arrow_file import Grid
from pipeline.grid.columns.humidity import saturation_pressure
from pipeline.sources.manifest import SourceError, Sources
from pipeline.sources.spline_surface import SplineSurface, read_surface

FILE = DATA / "outside_climate.json"
CLIMATE = ("precipitation_annual", "temperature_min_january", "temperature_mean", "temperature_max")
"""Columns of the grid that a climate has, in mm and degrees Celsius."""
HUMIDITY = ("dew_point", "vpd_max")
EVERY = 150
"""The shift and the regression use every `EVERY`-th grid point."""
_JULY = 6
_ELEVATIONS_M = (0.0, 3500.0)


@dataclass(frozen=True)
class Outside:
    """Most likely values and standard errors of the grid's columns at a place outside it."""

    means: dict[str, float]
    errors: dict[str, float]


class OutsidePlaces:
    """Predicts every column of the grid from a climate in :data:`FILE`."""

    def __init__(self, grid: Grid):
        content = json.loads(FILE.read_text(encoding="utf-8"))
        self._climates = {(place["source"], place["place"]): place for place in content["places"]}
        self._climate_errors = content["errors"]
        sample = {name: values[::EVERY].astype(np.float64) for name, values in grid.columns.items()}
        self._medians = {name: float(np.median(values)) for name, values in sample.items()}
        self._spreads = {name: float(values.std()) for name, values in sample.items()}
        predictors = _predictors(sample)
        self._lines, self.residual_sd = {}, {}
        for name in HUMIDITY:
            self._lines[name] = np.linalg.lstsq(predictors, sample[name], rcond=None)[0]
            self.residual_sd[name] = float((sample[name] - predictors @ self._lines[name]).std())

    def has(self, source: str, place: str) -> bool:
        """Return whether the climate of a place is known."""
        return (source, place) in self._climates

    def at(self, source: str, place: str) -> Outside:
        """Return the environment of a place; KeyError if its climate is not known, see `has`."""
        climate = self._climates[source, place]
        values, errors = dict(self._medians), dict(self._spreads)
        for name in CLIMATE:
            values[name], errors[name] = climate[name], self._climate_errors[name]
        errors["precipitation_annual"] *= climate["precipitation_annual"]
        predictors = _predictors({name: np.array([climate[name]]) for name in CLIMATE})
        for name in HUMIDITY:
            values[name], errors[name] = float((predictors @ self._lines[name])[0]), self.residual_sd[name]
        values["elevation"], errors["elevation"] = climate["elevation_m"], 0.0
        return Outside(values, errors)


def _predictors(climate: dict[str, np.ndarray]) -> np.ndarray:
    """Return the predictors of humidity [places, 7]."""
    mean, warmest = climate["temperature_mean"], climate["temperature_max"]
    return np.column_stack(
        [
            np.ones(len(mean)),
            np.log(climate["precipitation_annual"]),
            climate["temperature_min_january"],
            mean,
            warmest,
            saturation_pressure(warmest),
            saturation_pressure(2 * mean - warmest),
        ]
    )


def measure_outside(grid: Grid, sources: Sources, places: list[dict]) -> None:
    """Write :data:`FILE`: the climate of places, which are rows of `data/places.csv`.

    A climate that the source states takes the place of the surfaces'. A place without an elevation stands where the
    surface has the source's July maximum.
    """
    surfaces = {
        name: read_surface(sources.path(f"surface_{name}"))
        for name in ("precipitation", "temperature_mean", "temperature_min", "temperature_max")
    }
    points = np.arange(0, len(grid.latitude), EVERY)
    position = (grid.latitude[points], grid.longitude[points], grid.columns["elevation"][points])
    of_surfaces = _climate(surfaces, *position)
    shifts, errors = {}, {}
    for name in CLIMATE:
        scale = np.log if name == "precipitation_annual" else np.asarray
        difference = scale(grid.columns[name][points].astype(np.float64)) - scale(of_surfaces[name])
        shifts[name] = float(np.median(difference))
        errors[name] = round(float((difference - shifts[name]).std()), 3)
    lines = [_place(surfaces, shifts, place) for place in places]
    content = {"errors": errors, "places": lines}
    FILE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _climate(surfaces: dict[str, SplineSurface], latitude, longitude, elevation) -> dict[str, np.ndarray]:
    """Return the columns of :data:`CLIMATE` [places] as the surfaces have them."""
    monthly = {name: surface.monthly(latitude, longitude, elevation) for name, surface in surfaces.items()}
    return {
        "precipitation_annual": monthly["precipitation"].sum(axis=1),
        "temperature_min_january": monthly["temperature_min"][:, 0],
        "temperature_mean": monthly["temperature_mean"].mean(axis=1),
        "temperature_max": monthly["temperature_max"].mean(axis=1),
    }


def _place(surfaces: dict[str, SplineSurface], shifts: dict[str, float], place: dict) -> dict:
    position = (np.array([place["latitude"]]), np.array([place["longitude"]]))
    elevation, warmest_month = place["elevation_m"], place["temperature_max_july"]
    if np.isnan(elevation):
        if np.isnan(warmest_month):
            raise SourceError(
                f"places.csv: {place['source']!r}, {place['place']!r} is outside the grid and needs elevation_m or "
                "temperature_max_july"
            )
        july = warmest_month - shifts["temperature_max"]
        warmest = surfaces["temperature_max"]
        # The elevation at which the surface has the source's July maximum.
        elevation = brentq(lambda height: warmest.monthly(*position, [height])[0, _JULY] - july, *_ELEVATIONS_M)
    climate = {name: float(values[0]) for name, values in _climate(surfaces, *position, [elevation]).items()}
    climate = {name: value + shifts[name] for name, value in climate.items() if name != "precipitation_annual"} | {
        "precipitation_annual": climate["precipitation_annual"] * np.exp(shifts["precipitation_annual"])
    }
    climate |= {name: place[name] for name in CLIMATE if not np.isnan(place.get(name, np.nan))}
    rounded = {name: round(climate[name], 1 if name == "precipitation_annual" else 2) for name in CLIMATE}
    return {"source": place["source"], "place": place["place"], "elevation_m": round(float(elevation)), **rounded}
