"""Errors of the grid as answered: the value of the nearest point against plots that were not used in it.

Each plot is predicted from the plots of other blocks, at the grid point that the service would answer from. The plots'
elevations belong to their public coordinates, so these are what a caller would send; their climate is that of the cell
of PRISM's normals that holds them. The lapse columns are judged from a point whose elevation differs from that cell's.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree
from tqdm import tqdm

from pipeline.evaluation.grid.scores import Score, score
from pipeline.grid.build import FOLDS, LAPSE_BOUNDS, ClimateChain, canopy_at, folds_of_blocks, lapses, terrain_columns
from pipeline.grid.columns.definitions import COLUMNS
from pipeline.grid.lattice import kriging_cells
from pipeline.grid.points import SEARCH_RADIUS_KM
from pipeline.grid.projection import to_plane

ANSWERED = "as answered"
OWN_ELEVATION = "with the terrain model's elevation at the site"
UNMOVED, MOVED = "from a point over 100 m higher or lower", "from it, moved to the cell's elevation"
SINGLE_BLOCKS, NEAR_BLOCKS, WIDE_BLOCKS = 0.02, 0.25, 1.0
"""Edge in degrees of the blocks left out: those of single plots, somewhat and far beyond the spacing of the plots."""
SINGLE, WIDE = "single plots left out", f"{WIDE_BLOCKS:g}-degree blocks"
_MOVED_FROM_KM, _MOVED_BY_M = 1.2, 100.0
# The amounts of the wet coast and of the dry interior differ tenfold: only shares of them can be compared on a map.
_MAPPED_AS_SHARES = ("precipitation_annual",)
_UNITS = {column.name: column.unit for column in COLUMNS}
_TERRAIN = ("elevation", "eastness", "northness", "terrain_ruggedness")
# Eastness and northness mean something on slopes of at least this many degrees.
_STEEP_DEG = 5.0
# The crest of the Cascades: longitude by latitude.
_CREST = np.array([(42.0, -122.2), (43.0, -122.1), (44.0, -121.8), (45.4, -121.7), (46.2, -121.5), (46.9, -121.5),
                   (47.5, -121.3), (48.0, -121.0), (49.0, -120.8)])  # fmt: skip


@dataclass(frozen=True)
class Answers:
    """Forested plots with an answer, and the values of the grid without them there, in the rows of ``plots``."""

    plots: pd.DataFrame
    west: np.ndarray
    estimates: pd.DataFrame
    moved: pd.DataFrame


def west_of_crest(latitude, longitude):
    """Return which places lie west of the crest of the Cascades, boolean [N]."""
    return longitude < np.interp(latitude, *_CREST.T)


@dataclass(frozen=True)
class Errors:
    """Estimate minus observation of a column at places in kilometres of the plane; ``places`` says what they are.

    ``unit`` is that of the column, or percent of what was observed.
    """

    column: str
    unit: str
    places: str
    x: np.ndarray
    y: np.ndarray
    values: np.ndarray


def validate(inputs, frame, reader):
    """Return the :class:`Score` of every check of every column, and the :class:`Errors` of each that has a truth.

    The errors are those as answered from the nearer blocks, and for soil those of basin means.
    """
    points = cKDTree(np.column_stack([frame["x"], frame["y"]]))
    forested = np.flatnonzero(inputs.plots["forested"])
    distance, nearest = points.query(inputs.plot_sites.xyz[forested, :2])
    answered = distance <= SEARCH_RADIUS_KM
    single, near, wide = (
        _answers(inputs, frame, reader, degrees, forested[answered], nearest[answered])
        for degrees in (SINGLE_BLOCKS, NEAR_BLOCKS, WIDE_BLOCKS)
    )
    uneven = _answers(inputs, frame, reader, NEAR_BLOCKS, *_uneven_points(inputs, frame, points, forested[answered]))
    scores = [*_answered_scores(single, near, wide), *_moved_scores(near, uneven), *_basin_scores(inputs.soil)]
    return scores, [*_errors_at_plots(near), *_errors_at_basins(inputs.soil)]


def spacing_km(inputs, frame):
    """Return the median distance of the points, and of single forested plots, to the nearest (other) plot."""
    plots = cKDTree(inputs.plot_sites.xyz[:, :2])
    from_points = plots.query(frame[["x", "y"]].to_numpy())[0]
    from_plots = plots.query(inputs.plot_sites.xyz[inputs.plots["forested"], :2], 2)[0][:, 1]
    return float(np.median(from_points)), float(np.median(from_plots))


def _uneven_points(inputs, frame, points, rows):
    """Return the rows of plots with a point near by that is over 100 m above or below their cell, and that point."""
    elevation, cells = frame["elevation"].to_numpy(dtype=float), inputs.normal_sites
    chosen = []
    for row, near in zip(rows, points.query_ball_point(cells.xyz[rows, :2], _MOVED_FROM_KM), strict=True):
        apart = np.abs(elevation[near] - cells.elevation[row])
        if len(near) and apart.max() > _MOVED_BY_M:
            chosen.append((row, near[int(apart.argmax())]))
    return np.array(chosen).T


def _answers(inputs, frame, reader, block_degrees, rows, nearest):
    plots = inputs.plots.iloc[rows]
    elevation = frame["elevation"].to_numpy(dtype=float)[nearest]
    sites = reader.at(frame["latitude"].to_numpy()[nearest], frame["longitude"].to_numpy()[nearest], elevation)
    fold = folds_of_blocks(inputs.plot_sites.latitude, inputs.plot_sites.longitude, block_degrees)
    parts = []
    for left_out in tqdm(range(FOLDS), desc=f"{block_degrees:g}-degree blocks", unit="fold", leave=False):
        here = np.flatnonzero(fold[rows] == left_out)
        own = sites.where(here)
        cell, count = kriging_cells(own.latitude, own.longitude)
        chain = ClimateChain(inputs, fold != left_out, own, cell, count)
        others = inputs.plots["forested"].to_numpy() & (fold != left_out)
        part = chain.columns(own, cell).assign(
            **lapses(chain, reader, own, cell), canopy_cover=canopy_at(inputs, others, own.xyz, cell, count)
        )
        parts.append(part.set_index(here))
    estimates = pd.concat(parts).sort_index().assign(**terrain_columns(inputs, sites))
    rise_km = (inputs.normal_sites.elevation[rows] - elevation) / 1000
    moved = pd.DataFrame(
        {"elevation": inputs.terrain.elevation(plots["latitude"].to_numpy(), plots["longitude"].to_numpy())}
    )
    for name in LAPSE_BOUNDS:
        step = rise_km * estimates[f"lapse_{name}"]
        relative = name == "precipitation_annual"
        moved[name] = estimates[name] * np.exp(step) if relative else estimates[name] + step
    west = west_of_crest(plots["latitude"].to_numpy(), plots["longitude"].to_numpy())
    return Answers(plots.reset_index(drop=True), west, estimates, moved)


def _judged_at_plots(near):
    """Return ``{column: boolean [N]}``: the plots that judge each column that has a truth."""
    steep = (near.estimates["slope"] >= _STEEP_DEG).to_numpy()
    names = [*_TERRAIN, *near.estimates.columns.difference(_TERRAIN, sort=False)]
    return {
        name: np.isfinite(near.plots[name].to_numpy(dtype=float))
        & (steep if name in ("eastness", "northness") else True)
        for name in names
        if name in near.plots
    }


def _errors_at_plots(near):
    """Return the :class:`Errors` of every column that has a truth at the plots of :class:`Answers`."""
    x, y = to_plane(near.plots["latitude"].to_numpy(), near.plots["longitude"].to_numpy())
    left_out = f"forested plots, each from blocks of {NEAR_BLOCKS:g} degree other than its own"
    errors = []
    for name, judged in _judged_at_plots(near).items():
        observed = near.plots[name].to_numpy(dtype=float)[judged]
        values, unit = near.estimates[name].to_numpy()[judged] - observed, _UNITS[name]
        if name in _MAPPED_AS_SHARES:
            values, unit = 100 * values / observed, "percent"
        places = "forested plots" if name in _TERRAIN else left_out
        errors.append(Errors(name, unit, places, x[judged], y[judged], values))
    return errors


def _errors_at_basins(soil):
    """Return the :class:`Errors` of the soil columns at the centres of basins, each estimated from the others."""
    return [
        Errors(name, _UNITS[name], "basin means, each from the other basins", *soil.xyz[:, :2].T, estimate - observed)
        for name, (estimate, observed) in _left_out_basins(soil).items()
    ]


def _answered_scores(single: Answers, near: Answers, wide: Answers) -> list[Score]:
    scores = []
    for name, judged in _judged_at_plots(near).items():
        observed = near.plots[name].to_numpy(dtype=float)
        for side, chosen in (("west", near.west), ("east", ~near.west)):
            here = judged & chosen
            scores.append(score(name, ANSWERED, side, near.estimates[name][here], observed[here]))
            if name == "elevation":
                scores.append(score(name, OWN_ELEVATION, side, near.moved[name][here], observed[here]))
            if name not in _TERRAIN:
                for check, answers in ((SINGLE, single), (WIDE, wide)):
                    scores.append(score(name, check, side, answers.estimates[name][here], observed[here]))
    return scores


def _moved_scores(near, uneven):
    """Return the scores unmoved and moved; for elevation itself at plots over 100 m above or below their point."""
    scores = []
    for name in ("elevation", *LAPSE_BOUNDS):
        answers = near if name == "elevation" else uneven
        observed = answers.plots[name].to_numpy(dtype=float)
        used = np.isfinite(observed)
        if name == "elevation":
            used &= np.abs(answers.estimates[name] - observed) > _MOVED_BY_M
        for side, chosen in (("west", answers.west), ("east", ~answers.west)):
            here = used & chosen
            for check, estimates in ((UNMOVED, answers.estimates), (MOVED, answers.moved)):
                scores.append(score(name, check, side, estimates[name][here], observed[here]))
    return scores


def _basin_scores(soil):
    return [score(name, "basin means, each left out", "both", *pair) for name, pair in _left_out_basins(soil).items()]


def _left_out_basins(soil):
    """Return ``{column: (estimate, observed)}`` at the basins."""
    alone = (soil.xyz, np.arange(len(soil.xyz)), soil.xyz)
    return {
        "soil_water_capacity": (soil.water_at(*alone, leave_own_out=True), soil.water),
        "soil_clay": (soil.basin_mean_at(soil.clay, *alone, leave_own_out=True), soil.clay),
        "rock_depth": (soil.basin_mean_at(soil.rock, *alone, leave_own_out=True), soil.rock),
    }
