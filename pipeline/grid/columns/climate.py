"""Precipitation and temperature from the plots of both states, with the climate surfaces as drift.

Each plot has PRISM 1991-2020 normals, which belong to its public coordinates as its elevation does; between plots they
are kriged with elevation and the 1961-90 surface as external drift, so that terrain without plots is represented. The
height above the surroundings and PRISM's minimum VPD are drifts, too: cold and moist air collects in valleys.
"""

import numpy as np
import pandas as pd

from pipeline.grid.kriging import CellKriging, Variogram

# Chosen by the error as answered with quarter-degree blocks left out; it is flat around these values.
_PRECIPITATION = Variogram(range_km=60, nugget=0.005, km_per_100m=1.5, neighbours=64)
_MEAN = Variogram(range_km=60, nugget=0.2, km_per_100m=6.0, neighbours=64)
_JANUARY = Variogram(range_km=60, nugget=0.05, km_per_100m=8.0, neighbours=64)
_GROWING_SEASON = slice(4, 9)  # May to September


class ClimateModel:
    """Kriging of the climate around cells with ``centres`` [C, 3] (km, km, m) from the plots of a boolean mask."""

    def __init__(self, plots, plot_sites, chosen, centres):
        self._kriging = {}
        for name, (transform, drift, variogram) in _COLUMNS.items():
            used = chosen & np.isfinite(plots[name].to_numpy())
            sites = plot_sites.where(used)
            values = transform(plots[name].to_numpy()[used])
            self._kriging[name] = CellKriging(sites.xyz, drift(sites), values, centres, variogram)

    def predict(self, sites, cell):
        """Return a frame [M] of annual and growing-season precipitation (mm), mean and January minimum (C)."""
        values = {n: kriging.at(cell, sites.xyz, _COLUMNS[n][1](sites)) for n, kriging in self._kriging.items()}
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


def _drift(surface, sites):
    # The deficit at night, PRISM's of 1991-2020, tells humid from dry valleys of the same elevation.
    return np.column_stack([surface, sites.elevation / 1000, sites.above / 1000, sites.vpd_min])


def _precipitation_drift(sites):
    return _drift(np.log(sites.normals.precipitation.sum(axis=1)), sites)


def _mean_drift(sites):
    return _drift(sites.normals.temperature_mean.mean(axis=1), sites)


def _january_drift(sites):
    return _drift(sites.normals.temperature_min[:, 0], sites)


def _as_it_is(values):
    return values


# Orographic effects multiply: precipitation is kriged as a logarithm.
_COLUMNS = {
    "precipitation_annual": (np.log, _precipitation_drift, _PRECIPITATION),
    "temperature_mean": (_as_it_is, _mean_drift, _MEAN),
    "temperature_min_january": (_as_it_is, _january_drift, _JANUARY),
}
