"""Where the grid has points: lattice nodes on forest land, and how well they answer for forest and for other land."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import shapely
from scipy.spatial import cKDTree

from pipeline.grid.forest import ForestClassifier, burn_excluded_maps, in_excluded_place
from pipeline.grid.lattice import COLUMNS, ROWS, degrees_of
from pipeline.grid.projection import in_kilometres, to_plane
from pipeline.sources.outlines import FIPS

SEARCH_RADIUS_KM = 0.8
"""The service answers from the nearest point within this distance, and has no data for sites farther away.

The lattice leaves no place inside a forest farther than 0.57 km from a point; by the curve in ``data/README.md`` a
greater radius gains little, and it answers farther out on lakes and fields.
"""
CURVE_RADII_KM = (0.6, 0.7, 0.8, 0.9, 1.0, 1.2)
CURVE_ANSWERED = (0.99, 0.98, 0.97, 0.95)
FORESTED_ANSWERED = 0.98
"""Share of the forested plots that get an answer at the threshold."""
_JUDGED_SHARE = 0.3
_SPLIT_SEED = 5
# No forest is known above the highest forested plots within this distance; the allowance is for terrain errors.
_TREELINE_KM, _TREELINE_PLOTS, _TREELINE_ALLOWANCE_M = 80.0, 3, 50.0
# Ground this much higher yet is not answered from forest on the slopes below it.
_HIGH_GROUND_M = 200.0
# West of its turn into Washington the Columbia is the state line; half its width, and where the line leaves the river.
_COLUMBIA_HALF_WIDTH_KM = 1.2
_COLUMBIA_EAST_END_DEG = -119.0


@dataclass(frozen=True)
class Mask:
    """The threshold of the chance of forest, and how the plots that set it, unseen by the classifier, are answered.

    ``curve`` is ``{radius: {share of forested plots answered: share of the other plots answered}}``, and
    ``canopy_known`` the same for a classifier that also has the canopy cover at the plots' own public coordinates.
    """

    threshold: float
    judged_forested: int
    judged_other: int
    forested_answered: float
    other_answered: float
    curve: dict[float, dict[float, float]]
    canopy_known: dict[float, float]


def lattice_nodes(regions, terrain):
    """Return a frame of row, column, latitude, longitude, region and elevation of the nodes on land.

    ``regions`` is ``{region: MultiPolygon}`` in degrees, whose strip along the coast the terrain tells from the sea.
    """
    row, column = (index.ravel() for index in np.meshgrid(np.arange(ROWS), np.arange(COLUMNS), indexing="ij"))
    latitude, longitude = degrees_of(row, column)
    region = np.full(latitude.shape, -1)
    for index, shape in enumerate(regions.values()):
        shapely.prepare(shape)
        region[shapely.contains_xy(shape, longitude, latitude)] = index
    land = (region >= 0) & ~terrain.is_water(latitude, longitude)
    nodes = {"row": row, "column": column, "latitude": latitude, "longitude": longitude, "region": region}
    frame = pd.DataFrame(nodes)[land].reset_index(drop=True)
    return frame.assign(elevation=terrain.cell_mean(frame["latitude"].to_numpy(), frame["longitude"].to_numpy()))


def place_points(inputs, sources, nodes, sites):
    """Return the rows of ``nodes`` that are forest, ordered by row, then column, and the :class:`Mask`.

    ``sites`` are the :class:`.Sites` of the nodes.
    """
    open_land = _never_forest(inputs, sources, nodes, sites)
    judged = np.zeros(len(inputs.plots), dtype=bool)
    order = np.random.default_rng(_SPLIT_SEED).permutation(len(judged))
    judged[order[: round(_JUDGED_SHARE * len(judged))]] = True
    plots = (inputs.maps, inputs.terrain, inputs.plots, inputs.plot_sites)
    classifier = ForestClassifier(*plots, ~judged)
    chance = np.where(open_land, 0.0, classifier.chance(sites))
    canopy = inputs.plots["canopy_cover"].fillna(0.0).to_numpy()
    with_canopy = classifier.chance_with_canopy(canopy[~judged], inputs.plot_sites.where(judged), canopy[judged])
    forested = inputs.plots["forested"].to_numpy()[judged]
    mask = _judge(chance, sites.xyz, forested, inputs.plot_sites.xyz[judged], with_canopy)
    # The points come from a classifier trained on all plots: the judged figures are those of one with fewer.
    chance = np.where(open_land, 0.0, ForestClassifier(*plots, judged | True).chance(sites))
    forest = chance >= mask.threshold
    return np.flatnonzero(forest), mask


def _judge(chance, xyz, forested, plot_xyz, with_canopy):
    tree = cKDTree(xyz[:, :2])
    _, canopy_known = _trade_off(with_canopy, forested)
    curve = {}
    for radius in CURVE_RADII_KM:
        near = tree.query_ball_point(plot_xyz[:, :2], radius)
        best = np.array([chance[nodes].max() if nodes else 0.0 for nodes in near])
        thresholds, curve[radius] = _trade_off(best, forested)
        if radius == SEARCH_RADIUS_KM:
            threshold = float(np.floor(thresholds[FORESTED_ANSWERED] * 1000) / 1000)
            answered = best >= threshold
    return Mask(
        threshold,
        int(forested.sum()),
        int((~forested).sum()),
        float(answered[forested].mean()),
        float(answered[~forested].mean()),
        curve,
        canopy_known,
    )


def _trade_off(chance, forested):
    """Return the thresholds that answer the shares of forested plots, and the shares of others above them."""
    thresholds = {share: np.quantile(chance[forested], 1 - share) for share in CURVE_ANSWERED}
    return thresholds, {share: float((chance[~forested] >= limit).mean()) for share, limit in thresholds.items()}


def _never_forest(inputs, sources, nodes, sites):
    latitude, longitude = nodes["latitude"].to_numpy(), nodes["longitude"].to_numpy()
    terrain, treeline = inputs.terrain, _treeline(inputs, sites.xyz)
    mapped = burn_excluded_maps(sources)[nodes["row"], nodes["column"]]
    return (
        mapped
        | terrain.is_lake_or_sea(latitude, longitude)
        | in_excluded_place(latitude, longitude)
        | _on_columbia(inputs.outlines, latitude, longitude)
        | (sites.elevation > treeline)
        | (terrain.highest_nearby(latitude, longitude) > treeline + _HIGH_GROUND_M)
    )


def _treeline(inputs, xyz):
    """Return metres [M]: the elevation of the third highest forested plot around, and the allowance.

    Where mountains do not reach the treeline this is the height of the forested summits, which the allowance exceeds.
    """
    forested = inputs.plots["forested"].to_numpy()
    places = inputs.plot_sites.xyz[forested]
    # It changes slowly, so it is evaluated every 10 km and taken from the nearest.
    corner = xyz[:, :2].min(axis=0)
    cell = np.floor((xyz[:, :2] - corner) / 10).astype(int)
    cells, which = np.unique(cell, axis=0, return_inverse=True)
    near = cKDTree(places[:, :2]).query_ball_point(corner + (cells + 0.5) * 10, _TREELINE_KM)
    highest = [np.sort(places[rows, 2])[-_TREELINE_PLOTS] if len(rows) >= _TREELINE_PLOTS else 0.0 for rows in near]
    return np.array(highest)[which] + _TREELINE_ALLOWANCE_M


def _on_columbia(outlines, latitude, longitude):
    border = outlines.shared_border(*FIPS.values())
    river = in_kilometres(shapely.intersection(border, shapely.box(-125, 45, _COLUMBIA_EAST_END_DEG, 47)))
    return shapely.dwithin(shapely.points(*to_plane(latitude, longitude)), river, _COLUMBIA_HALF_WIDTH_KM)
