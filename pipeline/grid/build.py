"""Builds the grid from the sources: one row per point, every column of :mod:`pipeline.grid.columns.definitions`."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree
from tqdm import tqdm

from pipeline.grid.columns.canopy import crown_ratio, interpolate_canopy
from pipeline.grid.columns.climate import ClimateModel
from pipeline.grid.columns.deficit import deficit_predictors, fit_deficit
from pipeline.grid.columns.definitions import COLUMNS, NAMES
from pipeline.grid.columns.humidity import COLUMNS as HUMIDITY_COLUMNS
from pipeline.grid.columns.humidity import fit_humidity
from pipeline.grid.columns.soils import SoilModel
from pipeline.grid.forest import Maps, ecoregion_at, read_maps, unit_means
from pipeline.grid.kriging import cell_centres
from pipeline.grid.lattice import kriging_cells, normal_cells
from pipeline.grid.points import lattice_nodes, place_points
from pipeline.grid.regions import build_regions
from pipeline.grid.relief.terrain import Terrain, heat_load, slope_and_aspect
from pipeline.grid.sites import SiteReader, Sites
from pipeline.sources.outlines import FIPS, StateOutlines
from pipeline.sources.plots import OREGON, WASHINGTON, read_plots

LAPSE_STEP_M = 100.0
LAPSE_BOUNDS = {
    "precipitation_annual": (-0.5, 1.5),
    "temperature_mean": (-9.8, 2.0),
    "temperature_max": (-9.8, 0.0),
    "temperature_min_january": (-9.8, 8.0),
    "dew_point": (-8.0, 3.0),
    "vpd_max": (-12.0, 2.0),
}
"""Bounds of changes per km of elevation: dry air cools by 9.8 C; valleys keep cold and moist air, but no hot days."""
LAPSE_SHARES = {"precipitation_annual": 0.4, "temperature_min_january": 0.7, "dew_point": 0.85}
"""Share of the change with elevation that held-out plots show between neighbouring points; all for other columns."""
FOLDS = 10
_CHUNK_POINTS = 60_000


@dataclass(frozen=True)
class Inputs:
    """Everything read from the sources.

    ``normal_sites`` are the cells of PRISM's normals that the plots lie in: their climate is that of the cell.
    ``plot_climate`` is predicted at each of them from plots of blocks that it does not lie in.
    """

    plots: pd.DataFrame
    plot_sites: Sites
    normal_sites: Sites
    plot_climate: pd.DataFrame
    outlines: StateOutlines
    terrain: Terrain
    maps: Maps
    soil: SoilModel

    @property
    def humid(self):
        """Boolean mask of the plots that have dew point, VPD and maximum temperature."""
        complete = self.plots[list(HUMIDITY_COLUMNS)].notna().all(axis=1)
        return (complete & (self.plots["region"] == WASHINGTON)).to_numpy()

    @property
    def dry(self):
        """Boolean mask of the plots that have climatic water deficit."""
        return (self.plots["region"] == OREGON).to_numpy()


def folds_of_blocks(latitude, longitude, degrees):
    """Return the fold [N] of each place's block of ``degrees``; a block and its eight neighbours differ."""
    row, column = (np.floor(np.asarray(d) / degrees).astype(int) for d in (latitude, longitude))
    return (row + 3 * column) % FOLDS


def read_inputs(sources, elevation_file=None):
    """Read and prepare :class:`Inputs`, the nodes on land and their :class:`.Sites`."""
    plots = read_plots(sources)
    outlines = StateOutlines(sources.path("state_outlines"))
    terrain = Terrain(sources, plots, outlines.polygon(FIPS["US-OR"]), elevation_file)
    nodes = lattice_nodes(build_regions(outlines), terrain)
    place = ("latitude", "longitude", "elevation")
    centres = normal_cells(plots["latitude"].to_numpy(), plots["longitude"].to_numpy())
    normals = pd.DataFrame(dict(zip(place, (*centres, terrain.cell_mean(*centres)), strict=True)))
    everywhere = pd.concat([places[[*place]] for places in (plots, normals, nodes)])
    reader = SiteReader.of(sources, terrain).tabulated(*(everywhere[name].to_numpy() for name in place))
    plot_sites, normal_sites, sites = (
        reader.at(*(places[name].to_numpy() for name in place)) for places in (plots, normals, nodes)
    )
    inputs = Inputs(
        plots=plots,
        plot_sites=plot_sites,
        normal_sites=normal_sites,
        plot_climate=_left_out_climate(plots, normal_sites),
        outlines=outlines,
        terrain=terrain,
        maps=read_maps(sources),
        soil=SoilModel(sources),
    )
    return inputs, reader, nodes, sites


def _left_out_climate(plots, normal_sites):
    """Return the climate at the plots, each predicted from plots of other quarter-degree blocks."""
    fold = folds_of_blocks(plots["latitude"], plots["longitude"], 0.25)
    parts = []
    for left_out in range(FOLDS):
        rows = np.flatnonzero(fold == left_out)
        sites, cell = normal_sites.where(rows), np.arange(len(rows))
        model = ClimateModel(plots, normal_sites, fold != left_out, sites, cell, len(rows))
        parts.append(model.predict(sites, cell).set_index(rows))
    return pd.concat(parts).sort_index()


class ClimateChain:
    """The climate columns that depend on elevation, from the plots of a mask, for targets in ``count`` cells."""

    def __init__(self, inputs, chosen, targets, cell, count):
        plots, sites, climate = inputs.plots, inputs.normal_sites, inputs.plot_climate
        washington, oregon = inputs.humid & chosen, inputs.dry & chosen
        centres = cell_centres(targets.xyz, cell, count)
        self._climate = ClimateModel(plots, sites, chosen, targets, cell, count)
        self._humidity = fit_humidity(plots[washington], climate[washington], sites.where(washington))
        self._humidity_residuals = self._humidity.residuals(centres)
        self._deficit = fit_deficit(plots[oregon], climate[oregon], sites.where(oregon))
        self._deficit_residual = self._deficit.residuals(centres)

    def columns(self, sites, cell):
        """Return a frame of the columns at sites [M], each in its cell [M]."""
        climate = self._climate.predict(sites, cell)
        humidity = self._humidity.predict(climate, sites, self._humidity_residuals, cell)
        deficit = self._deficit.trend(deficit_predictors(climate, sites)) + self._deficit_residual.at(cell, sites.xyz)
        return climate.assign(**humidity, vpd_min=sites.vpd_min, climatic_water_deficit=np.maximum(deficit, 0.0))


def build_grid(inputs, sources, reader, nodes, sites):
    """Return the frame of points with every column of the grid and the native ranges, and the :class:`.Mask`."""
    rows, mask = place_points(inputs, sources, nodes, sites)
    points = nodes.iloc[rows].reset_index(drop=True)
    # Points of one cell are evaluated together: an ordering by cell keeps its neighbours in the processor's caches.
    cell, count = kriging_cells(points["latitude"], points["longitude"])
    own = sites.where(rows)
    chain = ClimateChain(inputs, np.ones(len(inputs.plots), dtype=bool), own, cell, count)
    parts = []
    for start in tqdm(range(0, len(points), _CHUNK_POINTS), desc="columns", unit="chunk", leave=False):
        chunk = np.arange(start, min(start + _CHUNK_POINTS, len(points)))
        here = chain.columns(own.where(chunk), cell[chunk])
        parts.append(here.assign(**lapses(chain, reader, own.where(chunk), cell[chunk])))
    climate = pd.concat(parts, ignore_index=True)
    values = {**climate, **terrain_columns(inputs, own), **_soil_columns(inputs, own, cell, count)}
    values["canopy_cover"] = canopy_at(inputs, inputs.plots["forested"].to_numpy(), own.xyz, cell, count)
    values["crown_ratio"] = crown_ratio(values["canopy_cover"])
    values["ecoregion"] = _ecoregions(inputs.maps, own)
    frame = pd.DataFrame({name: np.asarray(values[name], dtype=float) for name in NAMES})
    for column in COLUMNS:
        # As a reader of the file gets them.
        frame[column.name] = column.decode(column.encode(np.clip(frame[column.name], column.minimum, column.maximum)))
    place = {"x": own.xyz[:, 0], "y": own.xyz[:, 1]}
    return pd.concat([points.drop(columns="elevation").assign(**place), frame], axis=1), mask


def terrain_columns(inputs, sites):
    """Return ``{column: values [N]}`` of the terrain at sites."""
    places = (sites.latitude, sites.longitude)
    slope, eastness, northness = slope_and_aspect(*inputs.terrain.gradient(*places))
    return {
        "elevation": sites.elevation,
        "slope": slope,
        "eastness": eastness,
        "northness": northness,
        "heat_load": heat_load(sites.latitude, slope, eastness, northness),
        "terrain_ruggedness": inputs.terrain.ruggedness(*places),
    }


def canopy_at(inputs, chosen, xyz, cell, count):
    """Return the canopy cover [M] at places [M, 3] of ``count`` cells, from the forested plots of a mask."""
    plot_xyz = inputs.plot_sites.xyz[chosen]
    cover = inputs.plots["canopy_cover"].to_numpy()[chosen]
    at_plots, at_places = (unit_means(inputs.maps.units, places[:, :2]) for places in (plot_xyz, xyz))
    return interpolate_canopy(cover, at_plots, plot_xyz, at_places, xyz, cell, cell_centres(xyz, cell, count))


def _soil_columns(inputs, sites, cell, count):
    centres = cell_centres(sites.xyz, cell, count)
    water = inputs.soil.water_at(sites.xyz, cell, centres)
    return {
        "soil_water_capacity": water,
        "soil_water_error": inputs.soil.water_error(sites.xyz, water),
        "soil_clay": inputs.soil.basin_mean_at(inputs.soil.clay, sites.xyz, cell, centres),
        "rock_depth": inputs.soil.basin_mean_at(inputs.soil.rock, sites.xyz, cell, centres),
    }


def lapses(chain, reader, sites, cell):
    """Return ``{lapse column: change [M] per km of elevation}`` at sites [M], each in its cell [M]."""
    higher, lower = (
        chain.columns(reader.at(sites.latitude, sites.longitude, sites.elevation + step), cell)
        for step in (LAPSE_STEP_M, -LAPSE_STEP_M)
    )
    result = {}
    for name, (low, high) in LAPSE_BOUNDS.items():
        above, below = (
            np.log(frame[name]) if name == "precipitation_annual" else frame[name] for frame in (higher, lower)
        )
        slope = LAPSE_SHARES.get(name, 1.0) * (above - below) * 1000 / (2 * LAPSE_STEP_M)
        result[f"lapse_{name}"] = np.clip(slope, low, high)
    return result


def _ecoregions(maps, sites):
    codes = ecoregion_at(maps.ecoregion, sites.latitude, sites.longitude)
    missing = codes == 0
    known = ~missing
    _, nearest = cKDTree(sites.xyz[known, :2]).query(sites.xyz[missing, :2])
    codes = codes.copy()
    codes[missing] = codes[known][nearest]
    return codes
