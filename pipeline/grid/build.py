"""Builds the grid from the sources: one row a point, every column of :mod:`pipeline.grid.columns.definitions`."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pipeline.grid.columns.canopy import crown_ratio, interpolate_canopy
from pipeline.grid.columns.climate import interpolate_climate
from pipeline.grid.columns.deficit import deficit_predictors, fit_deficit
from pipeline.grid.columns.definitions import NAMES
from pipeline.grid.columns.humidity import COLUMNS as HUMIDITY_COLUMNS
from pipeline.grid.columns.humidity import fit_humidity
from pipeline.grid.columns.soils import BASIN_COLUMNS, interpolate_basins, organic_matter, read_basins
from pipeline.grid.columns.terrain import Terrain, interpolate_ruggedness
from pipeline.grid.sites import SiteReader, Sites
from pipeline.sources.outlines import StateOutlines
from pipeline.sources.plots import OREGON, WASHINGTON, read_plots

# Leave-one-out leaves out all plots within this distance: public coordinates are off by up to 1.6 km each.
LEAVE_OUT_KM = 3.0
# Far finer than the error of any column, and coarse enough to hide the last bits in which processors differ.
_DECIMALS = 3


@dataclass(frozen=True)
class Inputs:
    """Everything read from the sources, and the climate predicted at each plot from plots farther than 3 km."""

    plots: pd.DataFrame
    plot_sites: Sites
    plot_climate: pd.DataFrame
    outlines: StateOutlines
    reader: SiteReader
    terrain: Terrain
    basins: pd.DataFrame

    @property
    def humid(self):
        """Boolean mask of the plots that have dew point, VPD and maximum temperature."""
        complete = self.plots[list(HUMIDITY_COLUMNS)].notna().all(axis=1)
        return (complete & (self.plots["region"] == WASHINGTON)).to_numpy()

    @property
    def dry(self):
        """Boolean mask of the plots that have climatic water deficit."""
        return (self.plots["region"] == OREGON).to_numpy()


def read_inputs(sources):
    """Read and prepares all :class:`Inputs`."""
    plots = read_plots(sources)
    reader = SiteReader(sources)
    latitude, longitude = plots["latitude"].to_numpy(), plots["longitude"].to_numpy()
    plot_sites = reader.at(latitude, longitude, plots["elevation"].to_numpy())
    return Inputs(
        plots=plots,
        plot_sites=plot_sites,
        plot_climate=interpolate_climate(plots, plot_sites, plot_sites, LEAVE_OUT_KM),
        outlines=StateOutlines(sources.path("state_outlines")),
        reader=reader,
        terrain=Terrain(sources),
        basins=read_basins(sources),
    )


def fill_columns(inputs, points):
    """Return the frame of points with every column of the grid, float64 rounded to 3 decimals."""
    latitude, longitude = points["latitude"].to_numpy(), points["longitude"].to_numpy()
    elevation = inputs.terrain.elevation(latitude, longitude)
    sites = inputs.reader.at(latitude, longitude, elevation)
    plots, plot_xyz = inputs.plots, inputs.plot_sites.xyz

    climate = interpolate_climate(plots, inputs.plot_sites, sites)
    washington, oregon = inputs.humid, inputs.dry
    humidity = fit_humidity(
        plots[washington], inputs.plot_climate[washington], inputs.plot_sites.where(washington)
    ).predict(climate, sites)
    deficit = fit_deficit(plots[oregon], inputs.plot_climate[oregon], inputs.plot_sites.where(oregon))
    forested = plots["forested"].to_numpy()
    canopy = interpolate_canopy(plots["canopy_cover"].to_numpy()[forested], plot_xyz[forested], sites.xyz)
    values = {
        "elevation": elevation,
        "terrain_ruggedness": interpolate_ruggedness(
            plots["terrain_ruggedness"].to_numpy(),
            plot_xyz,
            inputs.terrain.relief(plots["latitude"].to_numpy(), plots["longitude"].to_numpy()),
            sites.xyz,
            inputs.terrain.relief(latitude, longitude),
        ),
        **climate,
        **humidity,
        "vpd_min": sites.vpd_min,
        "climatic_water_deficit": np.maximum(deficit.predict(deficit_predictors(climate, sites), sites.xyz), 0.0),
        **{name: interpolate_basins(inputs.basins[name], inputs.basins, sites.xyz) for name in BASIN_COLUMNS},
        "soil_organic_matter": organic_matter(climate["precipitation_annual"].to_numpy()),
        "canopy_cover": canopy,
        "crown_ratio": crown_ratio(canopy),
    }
    return points.assign(**{name: np.round(np.asarray(values[name]), _DECIMALS) for name in NAMES})
