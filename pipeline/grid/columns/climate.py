"""Precipitation and temperature from the plots of both states by universal kriging.

Each plot has the PRISM 1991-2020 normals of the cell of 30 arc-seconds that holds its public coordinates: temperatures
follow the mean elevation of that cell and not the plot's own, so the plots stand at the cells' centres and means.

As in PRISM (Daly et al. 2008, Int. J. Climatol. 28:2031-2064) places that are near but unlike count as farther apart:
for precipitation by elevation blurred by 1 km, by the side of the range and by the climate surface, for temperatures by
height above the surroundings, where cold air collects.
"""

import numpy as np
import pandas as pd

from pipeline.grid.kriging import CellKriging, Variogram, cell_centres

# Chosen by the error with quarter-degree blocks left out; it is flat around these values.
_PRECIPITATION = Variogram(range_km=60, nugget=0.005, km_per_100m=0.0, neighbours=64)
_MEAN = Variogram(range_km=60, nugget=0.02, km_per_100m=6.0, neighbours=64)
_JANUARY = Variogram(range_km=60, nugget=0.02, km_per_100m=8.0, neighbours=64)
# Kilometres of distance for each metre of blurred elevation, of rise on three scales, and of height above surroundings.
_KM_PER_OROGRAPHY_M = 0.025
_KM_PER_EXPOSURE_M = np.repeat([0.03, 0.04, 0.06], 2)
_KM_PER_LOG_PRECIPITATION = 20.0
_KM_PER_ABOVE_M = 0.06
_GROWING_SEASON = slice(4, 9)  # May to September


class ClimateModel:
    """Kriging of the climate at targets in ``count`` cells from the plots of a boolean mask."""

    def __init__(self, plots, normal_sites, chosen, targets, cell, count):
        self._kriging = {}
        for name, (transform, place, drift, variogram) in _COLUMNS.items():
            used = chosen & np.isfinite(plots[name].to_numpy())
            sites = normal_sites.where(used)
            values = transform(plots[name].to_numpy()[used])
            centres = cell_centres(place(targets), cell, count)
            self._kriging[name] = CellKriging(place(sites), drift(sites), values, centres, variogram)

    def predict(self, sites, cell):
        """Return a frame [M] of annual and growing-season precipitation (mm), mean and January minimum (C)."""
        values = {
            name: self._kriging[name].at(cell, place(sites), drift(sites))
            for name, (_, place, drift, _) in _COLUMNS.items()
        }
        annual = np.exp(values["precipitation_annual"])
        rain = sites.normals.precipitation
        season = rain[:, _GROWING_SEASON].sum(axis=1) / rain.sum(axis=1)
        return pd.DataFrame(
            {
                "precipitation_annual": annual,
                "precipitation_growing_season": annual * season,
                "temperature_mean": values["temperature_mean"],
                "temperature_min_january": values["temperature_min_january"],
            }
        )


def _orographic_place(sites):
    orography = sites.orography * _KM_PER_OROGRAPHY_M
    surface = np.log(sites.normals.precipitation.sum(axis=1)) * _KM_PER_LOG_PRECIPITATION
    return np.column_stack([sites.xyz, orography, sites.exposure * _KM_PER_EXPOSURE_M, surface])


def _cold_air_place(sites):
    return np.column_stack([sites.xyz, sites.above * _KM_PER_ABOVE_M])


# The deficit at night, PRISM's of 1991-2020, tells humid from dry valleys of the same elevation.
def _precipitation_drift(sites):
    return np.column_stack([sites.orography / 1000, sites.vpd_min])


def _temperature_drift(surface, sites):
    return np.column_stack([surface, sites.elevation / 1000, sites.above / 1000, sites.vpd_min])


def _mean_drift(sites):
    return _temperature_drift(sites.normals.temperature_mean.mean(axis=1), sites)


def _january_drift(sites):
    return _temperature_drift(sites.normals.temperature_min[:, 0], sites)


def _as_it_is(values):
    return values


# Orographic effects multiply: precipitation is kriged as a logarithm.
_COLUMNS = {
    "precipitation_annual": (np.log, _orographic_place, _precipitation_drift, _PRECIPITATION),
    "temperature_mean": (_as_it_is, _cold_air_place, _mean_drift, _MEAN),
    "temperature_min_january": (_as_it_is, _cold_air_place, _january_drift, _JANUARY),
}
