"""Forest Inventory and Analysis plots of both states in one table with the grid's names and units."""

import pandas as pd
import rdata

OREGON, WASHINGTON = 0, 1

# A plane of slope s on a 30 m grid: the 3 x 3 range is between 60 s and 85 s, the mean absolute difference to
# the eight neighbours (the terrain ruggedness index) 22.5 s to 21.2 s... averaged over aspects 3.06.
_ROUGHNESS_PER_RUGGEDNESS = 3.3


def read_plots(sources):
    """All plots, Oregon first. One row a plot; columns a state does not carry are NaN there.

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
    # Where the table has no climate at all it says zero precipitation; a zero there is missing, not dry.
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
