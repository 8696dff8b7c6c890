"""Kriging in a moving neighbourhood, with leave-one-out that leaves out all data within a distance.

Cressie (1993), Statistics for Spatial Data, chapter 3. :func:`universal` has weights that are unbiased for any
linear combination of drift columns, :func:`ordinary` for any constant; :func:`simple` assumes a mean of zero and
returns to it far from data.

Our own, because it combines a moving neighbourhood, external drift and an exclusion distance for leave-one-out, on
which every error figure of the grid rests.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

_CHUNK = 2000
# Additional neighbours that replace those within the exclusion distance: 3 km contain a handful of plots.
_SPARE_NEIGHBOURS = 16


@dataclass(frozen=True)
class Variogram:
    """Exponential covariance of unit sill plus nugget.

    ``range_km`` is the e-folding distance, ``nugget`` a fraction of the sill, ``km_per_100m`` the horizontal
    distance that one hundred metres of elevation are equivalent to.
    """

    range_km: float
    nugget: float
    km_per_100m: float
    neighbours: int

    def covariance(self, distance_km):
        """Return the covariance at a distance, without the nugget."""
        return np.exp(-distance_km / self.range_km)


@dataclass(frozen=True)
class _Neighbourhood:
    rows: slice
    near: np.ndarray  # [M, K] indices of the data used for M targets
    between: np.ndarray  # [M, K, K] covariance among them, nugget included
    to_target: np.ndarray  # [M, K] covariance with the target


def universal(xyz, drift, values, target_xyz, target_drift, variogram, exclude_km=0.0):
    """Return predictions [M] at ``target_xyz`` [M, 3] from ``values`` [N] at ``xyz`` [N, 3] (km, km, m).

    ``drift`` [N, Q] and ``target_drift`` [M, Q] are the trend's columns without the constant, Q may be 0. Data
    horizontally closer to a target than ``exclude_km`` are not used for it: with the data as their own targets
    that is leave-one-out.
    """
    result = np.empty(len(target_xyz))
    for hood in _neighbourhoods(xyz, target_xyz, variogram, exclude_km):
        near, rows = drift[hood.near], hood.rows
        m, k, q = near.shape
        # Centring and scaling the drift in each neighbourhood leaves the weights as they are and conditions the system.
        centre, spread = near.mean(axis=1, keepdims=True), near.std(axis=1, keepdims=True) + 1e-9
        trend = np.concatenate([np.ones((m, k, 1)), (near - centre) / spread], axis=2)
        at_target = np.concatenate([np.ones((m, 1)), (target_drift[rows] - centre[:, 0]) / spread[:, 0]], axis=1)
        system = np.zeros((m, k + 1 + q, k + 1 + q))
        system[:, :k, :k] = hood.between
        system[:, :k, k:] = trend
        system[:, k:, :k] = trend.transpose(0, 2, 1)
        # Without this a drift that does not vary among the neighbours would make the system singular.
        system[:, np.arange(k + 1, k + 1 + q), np.arange(k + 1, k + 1 + q)] = -1e-6
        right = np.concatenate([hood.to_target, at_target], axis=1)
        weights = np.linalg.solve(system, right[:, :, None])[:, :k, 0]
        result[rows] = (weights * values[hood.near]).sum(axis=1)
    return result


def ordinary(xyz, values, target_xyz, variogram, exclude_km=0.0):
    """Return :func:`universal` predictions whose only trend is an unknown constant."""
    nothing, nothing_there = np.empty((len(xyz), 0)), np.empty((len(target_xyz), 0))
    return universal(xyz, nothing, values, target_xyz, nothing_there, variogram, exclude_km)


def simple(xyz, values, target_xyz, variogram, exclude_km=0.0):
    """Return predictions [M] of a field of mean zero; arguments as for :func:`universal`."""
    result = np.empty(len(target_xyz))
    for hood in _neighbourhoods(xyz, target_xyz, variogram, exclude_km):
        weights = np.linalg.solve(hood.between, hood.to_target[:, :, None])[:, :, 0]
        result[hood.rows] = (weights * values[hood.near]).sum(axis=1)
    return result


def _neighbourhoods(xyz, target_xyz, variogram, exclude_km):
    k = variogram.neighbours
    scale = np.array([1.0, 1.0, variogram.km_per_100m / 100.0])
    data, targets = xyz * scale, target_xyz * scale
    tree = cKDTree(data)
    for start in range(0, len(targets), _CHUNK):
        rows = slice(start, min(start + _CHUNK, len(targets)))
        distance, near = tree.query(targets[rows], k + (_SPARE_NEIGHBOURS if exclude_km else 0))
        if exclude_km:
            flat = np.linalg.norm(data[near, :2] - targets[rows, None, :2], axis=2)
            order = np.argsort(np.where(flat < exclude_km, np.inf, distance), axis=1, kind="stable")[:, :k]
            distance, near = np.take_along_axis(distance, order, 1), np.take_along_axis(near, order, 1)
        places = data[near]
        apart = np.linalg.norm(places[:, :, None] - places[:, None, :], axis=3)
        between = variogram.covariance(apart) + variogram.nugget * np.eye(k)
        yield _Neighbourhood(rows, near, between, variogram.covariance(distance))
