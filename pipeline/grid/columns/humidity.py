"""Maximum temperature, dew point and maximum vapor pressure deficit, which only Washington's plots have.

Each is implied by physics from quantities known in both states and corrected by a regression fitted in Washington: the
diurnal range of the climate surfaces gives the maximum temperature; minimum temperature and the PRISM raster of minimum
vapor pressure deficit give the dew point; both give the maximum deficit.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.grid.columns.transfer import Transfer

COLUMNS = ("temperature_max", "dew_point", "vpd_max")

# In the annual mean of either state, a night is never drier than this share of saturation.
_MIN_NIGHT_HUMIDITY = 0.15
_E0_HPA, _A, _B_DEG = 6.1078, 17.269, 237.3


def saturation_pressure(temperature):
    """Return the saturation vapor pressure over water, hPa, at degrees Celsius.

    Murray (1967), On the computation of saturation vapor pressure, J. Appl. Meteorol. 6:203-204, the formula by which
    PRISM turns dew points into vapor pressure deficits (Daly, Smith and Olson 2015, PLoS ONE 10(10): e0141140).
    """
    return _E0_HPA * np.exp(_A * temperature / (temperature + _B_DEG))


def dew_point_of(pressure):
    """Return the dew point, degrees Celsius, at a vapor pressure in hPa; inverts :func:`saturation_pressure`."""
    log = np.log(pressure / _E0_HPA)
    return _B_DEG * log / (_A - log)


@dataclass(frozen=True)
class HumidityModel:
    """The three transfers; each is an input of the next."""

    temperature_max: Transfer
    dew_point: Transfer
    vpd_max: Transfer

    def residuals(self, centres):
        """Return ``{column: kriging of its residuals}`` around cells with centres [C, 3]."""
        return {column: getattr(self, column).residuals(centres) for column in COLUMNS}

    def predict(self, climate, sites, residuals, cell):
        """Return ``{column: values [N]}`` from the frame of :class:`.ClimateModel`, its sites and their cells."""
        trends, result = {}, {}
        for column, predictors, imply in _STEPS:
            implied = imply(climate, sites, trends)
            features = predictors(climate, sites, implied)
            transfer = getattr(self, column)
            # The next step uses the trend alone: it kriges a residual of its own.
            trends[column] = implied + transfer.trend(features)
            result[column] = trends[column] + residuals[column].at(cell, sites.xyz)
        return result


def fit_humidity(observed, climate, sites):
    """Fit the three steps on plots that have :data:`COLUMNS`; ``climate`` is predicted there, not observed."""
    trends, transfers = {}, {}
    for column, predictors, imply in _STEPS:
        implied = imply(climate, sites, trends)
        features = predictors(climate, sites, implied)
        transfers[column] = Transfer(features, observed[column].to_numpy() - implied, sites.xyz)
        trends[column] = implied + transfers[column].trend(features)
    return HumidityModel(**transfers)


def _mean_temperature(climate, sites, trends):
    return climate["temperature_mean"].to_numpy()


def _implied_dew_point(climate, sites, trends):
    return _monthly_dew_point(climate, sites, trends).mean(axis=1)


def _implied_vpd_max(climate, sites, trends):
    days = _shifted(sites.normals.temperature_max, trends["temperature_max"])
    dew = _shifted(_monthly_dew_point(climate, sites, trends), trends["dew_point"])
    return (saturation_pressure(days) - saturation_pressure(dew)).mean(axis=1)


def _monthly_dew_point(climate, sites, trends):
    annual_min = 2 * climate["temperature_mean"].to_numpy() - trends["temperature_max"]
    saturated = saturation_pressure(_shifted(sites.normals.temperature_min, annual_min))
    # The raster gives the annual deficit at night; it is split over the months in proportion to saturation pressure.
    humidity = np.maximum(1 - sites.vpd_min / saturated.mean(axis=1), _MIN_NIGHT_HUMIDITY)
    return dew_point_of(saturated * humidity[:, None])


def _shifted(monthly, annual):
    """Return the seasonal course of the surface, shifted so that its mean is ``annual``."""
    return monthly + (annual - monthly.mean(axis=1))[:, None]


def _continentality(climate):
    return (climate["temperature_mean"] - climate["temperature_min_january"]).to_numpy()


def _log_precipitation(climate):
    return np.log(climate["precipitation_annual"].to_numpy())


def _range_predictors(climate, sites, implied):
    normals = sites.normals
    half_range = (normals.temperature_max - normals.temperature_mean).mean(axis=1)
    return np.column_stack([half_range, sites.vpd_min, _log_precipitation(climate), _continentality(climate), implied])


def _dew_point_predictors(climate, sites, implied):
    return np.column_stack([implied, climate["temperature_mean"], _log_precipitation(climate)])


def _vpd_predictors(climate, sites, implied):
    return np.column_stack([implied, climate["temperature_mean"], climate["temperature_min_january"]])


_STEPS = (
    ("temperature_max", _range_predictors, _mean_temperature),
    ("dew_point", _dew_point_predictors, _implied_dew_point),
    ("vpd_max", _vpd_predictors, _implied_vpd_max),
)
