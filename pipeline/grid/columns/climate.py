"""Precipitation and temperature from the plots of both states, with the climate surfaces as drift.

Each plot has PRISM 1991-2020 normals; between plots they are kriged with elevation and the 1961-90 surface as external
drift, so that terrain without plots is represented.
"""

import numpy as np
import pandas as pd

from pipeline.grid.kriging import Variogram, universal

# Chosen by leave-one-out with every plot within 3 km left out too; the error is flat around these values.
_PRECIPITATION = Variogram(range_km=60, nugget=0.005, km_per_100m=1.5, neighbours=32)
_TEMPERATURE = Variogram(range_km=60, nugget=0.05, km_per_100m=4.0, neighbours=32)
_GROWING_SEASON = slice(4, 9)  # May to September


def interpolate_climate(plots, plot_sites, sites, exclude_km=0.0):
    """Return a frame [N] of annual and growing-season precipitation (mm), mean and January minimum temperature (C).

    With the plots' own sites and ``exclude_km`` 3 it is the leave-one-out prediction at the plots.
    """
    at_plots, at_sites = plot_sites.normals, sites.normals

    def krige(values, surface, variogram):
        known = np.isfinite(values)
        drift = np.column_stack([surface(at_plots), plot_sites.elevation / 1000])
        target = np.column_stack([surface(at_sites), sites.elevation / 1000])
        return universal(plot_sites.xyz[known], drift[known], values[known], sites.xyz, target, variogram, exclude_km)

    # Orographic effects multiply: precipitation is kriged as a logarithm.
    log_annual = np.log(plots["precipitation_annual"].to_numpy())
    precipitation = np.exp(krige(log_annual, lambda n: np.log(n.precipitation.sum(axis=1)), _PRECIPITATION))
    season = at_sites.precipitation[:, _GROWING_SEASON].sum(axis=1) / at_sites.precipitation.sum(axis=1)
    return pd.DataFrame(
        {
            "precipitation_annual": precipitation,
            "precipitation_growing_season": precipitation * season,
            "temperature_mean": krige(
                plots["temperature_mean"].to_numpy(), lambda n: n.temperature_mean.mean(axis=1), _TEMPERATURE
            ),
            "temperature_min_january": krige(
                plots["temperature_min_january"].to_numpy(), lambda n: n.temperature_min[:, 0], _TEMPERATURE
            ),
        }
    )
