"""Climatic water deficit, which only Oregon's plots carry: a monthly water balance corrected by regression."""

import numpy as np

from pipeline.grid.columns.transfer import Transfer
from pipeline.grid.columns.water_balance import climatic_water_deficit

COLUMN = "climatic_water_deficit"


def fit_deficit(observed, climate, sites):
    """A :class:`Transfer` from Oregon's plots."""
    return Transfer(deficit_predictors(climate, sites), observed[COLUMN].to_numpy(), sites.xyz)


def deficit_predictors(climate, sites):
    """[N, Q]: the water balance of the site's own monthly climate, and the climate itself."""
    normals = sites.normals
    annual = climate["precipitation_annual"].to_numpy()
    rain = normals.precipitation * (annual / normals.precipitation.sum(axis=1))[:, None]
    mean = climate["temperature_mean"].to_numpy()
    warmth = normals.temperature_mean + (mean - normals.temperature_mean.mean(axis=1))[:, None]
    balance = climatic_water_deficit(rain, warmth, sites.latitude)
    diurnal = (normals.temperature_max - normals.temperature_min).mean(axis=1)
    return np.column_stack([balance, mean, np.log(annual), sites.vpd_min, diurnal])
