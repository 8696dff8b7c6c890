"""How much answers differ between near places: 200 m apart, and on opposite slopes of a valley."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from pipeline.evaluation.graph import GraphModel
from pipeline.grid.arrow_file import Grid
from pipeline.grid.projection import to_plane
from pipeline.models.features import FEATURE_NAMES
from pipeline.outcomes.periods import match_points
from pipeline.outcomes.species import species_codes

DISTANCE_KM = 0.2
PLACES = 40_000
_KM_PER_DEGREE = 111.2
# Slopes that face each other: both steep, one towards the north and one towards the south.
_STEEP_DEG, _FACING = 12.0, 0.7
_VALLEY_KM, _VALLEY_HEIGHT_M = 2.0, 100.0


@dataclass(frozen=True)
class NearPairs:
    """Points [pairs] that answer two places 200 m apart; `changes` is the share of places answered by two points."""

    first: np.ndarray
    second: np.ndarray
    changes: float


def near_pairs(grid: Grid, seed: int) -> NearPairs:
    """Return the pairs of points whose places differ in the point that answers them, from places drawn at random."""
    generator = np.random.default_rng(seed)
    start = generator.integers(0, len(grid.latitude), PLACES)
    north, east = (_KM_PER_DEGREE, _KM_PER_DEGREE * np.cos(np.radians(grid.latitude[start])))
    latitude = grid.latitude[start] + generator.uniform(-0.46, 0.46, PLACES) / north
    longitude = grid.longitude[start] + generator.uniform(-0.33, 0.33, PLACES) / east
    direction = generator.uniform(0, 2 * np.pi, PLACES)
    first = match_points(grid, latitude, longitude)
    second = match_points(
        grid, latitude + DISTANCE_KM * np.sin(direction) / north, longitude + DISTANCE_KM * np.cos(direction) / east
    )
    answered = (first >= 0) & (second >= 0)
    changes = answered & (first != second)
    return NearPairs(first[changes], second[changes], float(changes.sum() / answered.sum()))


def differences(grid: Grid, model: GraphModel, pairs: NearPairs) -> np.ndarray:
    """Return the absolute differences [rows] in five-year survival, of the species native at both points of a pair."""
    features, found = grid.features(FEATURE_NAMES), []
    for species in range(len(species_codes())):
        native = grid.in_range(species)
        both = native[pairs.first] & native[pairs.second]
        ends = (
            model.survival(features[end[both]], np.full(both.sum(), species)) for end in (pairs.first, pairs.second)
        )
        found.append(np.abs(np.subtract(*ends))[:, -1])
    return np.concatenate(found)


def opposite_slopes(grid: Grid) -> tuple[np.ndarray, np.ndarray]:
    """Return points of north slopes and of the nearest south slopes at the same height, both [pairs]."""
    steep = grid.columns["slope"] >= _STEEP_DEG
    north = np.flatnonzero(steep & (grid.columns["northness"] >= _FACING))
    south = np.flatnonzero(steep & (grid.columns["northness"] <= -_FACING))
    x, y = to_plane(grid.latitude, grid.longitude)
    height = grid.columns["elevation"] * (_VALLEY_KM / _VALLEY_HEIGHT_M)
    places = np.column_stack([x, y, height])
    distance, nearest = cKDTree(places[south]).query(places[north])
    close = distance <= _VALLEY_KM
    return north[close], south[nearest[close]]
