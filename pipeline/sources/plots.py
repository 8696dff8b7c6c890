"""Forest Inventory and Analysis plots of both states in one table with the names and units of the grid."""

import pandas as pd
import rdata

OREGON, WASHINGTON = 0, 1

# Washington's table has roughness, the range of the 3 x 3 cells; Oregon's has the terrain ruggedness index, the mean
# absolute difference to the eight neighbours. This is the ratio of the two on a plane slope, averaged over its aspect.
_ROUGHNESS_PER_RUGGEDNESS = 3.3


def read_plots(sources):
    """Return all plots, one row each, Oregon first; NaN in the columns that a state does not have.

    ``latitude`` and ``longitude`` are FIA's public coordinates, moved by up to about 1.6 km to protect owners.
    """
    summary = rdata.read_rds(sources.path("fia_oregon_summary"))
    assignment = rdata.read_rds(sources.path("fia_oregon_assignment"))
    oregon = _oregon(summary.merge(assignment, on="CN"))
    washington = _washington(rdata.read_rds(sources.path("fia_washington")))
    plots = pd.concat([oregon, washington], ignore_index=True)
    measured = plots.columns.difference(["region", "forested"])
    plots[measured] = plots[measured].astype(float)
    return plots


def _oregon(raw):
    return pd.DataFrame(
        {
            "region": OREGON,
            "latitude": raw["LAT_PUBLIC"],
            "longitude": raw["LON_PUBLIC"],
            "forested": raw["PLOT_STATUS_CD"] == 1,
            "elevation": raw["elev"],
            "terrain_ruggedness": raw["tri"],
            "precipitation_annual": raw["ppt"],
            "temperature_mean": raw["tmean"] / 100,
            "temperature_min_january": raw["tmin01"] / 100,
            "climatic_water_deficit": raw["def"],
            "canopy_cover": raw["tcc16"],
            "canopy_cover_live": raw["CCLIVEPLT"],
        }
    )


def _washington(raw):
    # Plots without any climate have zero precipitation in the table: the value is missing, not dry.
    known = raw["ppt"] > 0
    hundredths = raw[["tmean", "tmax", "tmin", "tdmean", "vpdmax", "vpdmin"]].where(known) / 100
    return pd.DataFrame(
        {
            "region": WASHINGTON,
            "latitude": raw["LAT_PUBLIC"],
            "longitude": raw["LON_PUBLIC"],
            "forested": raw["forested"] == 1,
            "elevation": raw["elev"],
            "terrain_ruggedness": raw["roughness"] / _ROUGHNESS_PER_RUGGEDNESS,
            "eastness": raw["eastness"] / 100,
            "northness": raw["northness"] / 100,
            "precipitation_annual": raw["ppt"].where(known),
            "temperature_mean": hundredths["tmean"],
            # The table's `tmin` is the January minimum and its `tmin_annual` 2 * tmean - tmax: the names are swapped.
            "temperature_min_january": hundredths["tmin"],
            "temperature_max": hundredths["tmax"],
            "dew_point": hundredths["tdmean"],
            "vpd_max": hundredths["vpdmax"],
            "vpd_min": hundredths["vpdmin"],
            "canopy_cover": raw["tcc"],
        }
    )
