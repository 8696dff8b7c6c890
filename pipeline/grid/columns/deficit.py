"""Climatic water deficit, which only Oregon's plots have: a monthly water balance corrected by regression.

The water balance is Thornthwaite's potential evapotranspiration and a single soil store. Thornthwaite (1948), Geogr.
Rev. 38:55-94; soil store and snow as in McCabe and Markstrom (2007), USGS Open-File Report 2007-1088, with snow
melting at the rate they give in every month above freezing.
"""

import numpy as np

from pipeline.grid.columns.transfer import Transfer

COLUMN = "climatic_water_deficit"

STORAGE_MM = 150.0
_MELT_SHARE = 0.5
_SNOW_BELOW_C, _RAIN_ABOVE_C = -1.0, 3.3
_SPIN_UP_YEARS = 3
_MID_MONTH_DAY = np.array([15, 46, 74, 105, 135, 166, 196, 227, 258, 288, 319, 349])
_DAYS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


def day_length_hours(latitude):
    """Return the hours of daylight in the middle of each month, [N, 12], for N latitudes in degrees."""
    declination = 0.409 * np.sin(2 * np.pi * _MID_MONTH_DAY / 365 - 1.39)
    sunset = np.arccos(-np.tan(np.radians(latitude))[:, None] * np.tan(declination))
    return 24 / np.pi * sunset


def potential_evapotranspiration(temperature, latitude):
    """Return Thornthwaite's monthly millimetres [N, 12] from monthly mean temperatures [N, 12] in degrees Celsius."""
    warm = np.maximum(temperature, 0.0)
    heat_index = np.maximum(((warm / 5) ** 1.514).sum(axis=1, keepdims=True), 1.0)
    exponent = 6.75e-7 * heat_index**3 - 7.71e-5 * heat_index**2 + 1.792e-2 * heat_index + 0.49239
    unadjusted = 16 * (10 * warm / heat_index) ** exponent
    return unadjusted * day_length_hours(latitude) / 12 * _DAYS / 30


def climatic_water_deficit(precipitation, temperature, latitude):
    """Return annual potential minus actual evapotranspiration, mm [N].

    Takes monthly normals [N, 12] in mm and degrees Celsius, and latitude [N] in degrees.
    """
    demand = potential_evapotranspiration(temperature, latitude)
    snow_share = np.clip((_RAIN_ABOVE_C - temperature) / (_RAIN_ABOVE_C - _SNOW_BELOW_C), 0, 1)
    soil, pack = np.full(len(latitude), STORAGE_MM), np.zeros(len(latitude))
    for _ in range(_SPIN_UP_YEARS):
        deficit = np.zeros(len(latitude))
        for month in range(12):
            pack = pack + precipitation[:, month] * snow_share[:, month]
            melt = pack * np.where(temperature[:, month] > 0, _MELT_SHARE, 0.0)
            pack = pack - melt
            water = precipitation[:, month] * (1 - snow_share[:, month]) + melt
            wanted = np.maximum(demand[:, month] - water, 0.0)
            # The water that soil releases falls in proportion to what it still holds.
            given = np.minimum(wanted * soil / STORAGE_MM, soil)
            soil = np.minimum(soil - given + np.maximum(water - demand[:, month], 0.0), STORAGE_MM)
            deficit += wanted - given
    return deficit


def fit_deficit(observed, climate, sites):
    """Return a :class:`Transfer` fitted on Oregon's plots."""
    return Transfer(deficit_predictors(climate, sites), observed[COLUMN].to_numpy(), sites.xyz)


def deficit_predictors(climate, sites):
    """Return predictors [N, Q]: the water balance of the monthly climate of each site, and the climate itself."""
    normals = sites.normals
    annual = climate["precipitation_annual"].to_numpy()
    rain = normals.precipitation * (annual / normals.precipitation.sum(axis=1))[:, None]
    mean = climate["temperature_mean"].to_numpy()
    warmth = normals.temperature_mean + (mean - normals.temperature_mean.mean(axis=1))[:, None]
    balance = climatic_water_deficit(rain, warmth, sites.latitude)
    diurnal = (normals.temperature_max - normals.temperature_min).mean(axis=1)
    return np.column_stack([balance, mean, np.log(annual), sites.vpd_min, diurnal])
