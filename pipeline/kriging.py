"""Universal kriging in a moving neighbourhood, with leave-one-out that leaves out whole neighbourhoods.

Cressie (1993), Statistics for Spatial Data, section 3.4: weights that are unbiased for any linear combination of
the drift columns and have least variance under an exponential covariance.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

_CHUNK = 4000
# Plots within 3 km of a plot number a handful; this many more neighbours are fetched to make up for them.
_SPARE_NEIGHBOURS = 16


@dataclass(frozen=True)
class Variogram:
    """Exponential covariance of unit sill plus nugget.

    ``range_km`` is the e-folding distance, ``nugget`` a fraction of the sill, ``km_per_100m`` the horizontal
    distance that one hundred metres of elevation count for.
    """

    range_km: float
    nugget: float
    km_per_100m: float
    neighbours: int


def krige(train, values, target, variogram, exclude_km=0.0):
    """Predicts ``values`` [N, V] of plots at targets: [M, V].

    ``train`` and ``target`` are :class:`Sites`. Plots horizontally closer to a target than ``exclude_km`` are not
    used for it; with the plots as their own targets that is leave-one-out (of neighbourhoods).
    """
    k = variogram.neighbours
    scale = np.array([1.0, 1.0, variogram.km_per_100m / 100.0])
    tree = cKDTree(train.xyz * scale)
    result = np.empty((len(target.xyz), values.shape[1]))
    for start in range(0, len(result), _CHUNK):
        rows = slice(start, start + _CHUNK)
        xyz, drift = target.xyz[rows], target.drift[rows]
        distance, near = tree.query(xyz * scale, k + (_SPARE_NEIGHBOURS if exclude_km else 0))
        if exclude_km:
            flat = np.linalg.norm(train.xyz[near, :2] - xyz[:, None, :2], axis=2)
            distance = np.where(flat < exclude_km, np.inf, distance)
            order = np.argsort(distance, axis=1, kind="stable")[:, :k]
            distance, near = np.take_along_axis(distance, order, 1), np.take_along_axis(near, order, 1)
        weights = _weights(train.xyz[near] * scale, distance, train.drift[near], drift, variogram)
        result[rows] = np.einsum("mk,mkv->mv", weights, values[near])
    return result


@dataclass(frozen=True)
class Sites:
    """``xyz`` [N, 3] in km, km and m above sea; ``drift`` [N, Q] holds the trend's columns without the constant."""

    xyz: np.ndarray
    drift: np.ndarray

    def where(self, chosen):
        """The sites of a boolean mask or an index array."""
        return Sites(self.xyz[chosen], self.drift[chosen])


def _weights(coordinates, distance, drift_near, drift_target, variogram):
    m, k, _ = coordinates.shape
    q = drift_near.shape[2] + 1
    between = np.linalg.norm(coordinates[:, :, None] - coordinates[:, None, :], axis=3)
    # The drift is centred and scaled within each neighbourhood: the weights stay the same, the system well posed.
    centre = drift_near.mean(axis=1, keepdims=True)
    spread = drift_near.std(axis=1, keepdims=True) + 1e-9
    matrix = np.zeros((m, k + q, k + q))
    matrix[:, :k, :k] = np.exp(-between / variogram.range_km) + variogram.nugget * np.eye(k)
    matrix[:, k, :k] = matrix[:, :k, k] = 1.0
    scaled = (drift_near - centre) / spread
    matrix[:, :k, k + 1 :] = scaled
    matrix[:, k + 1 :, :k] = scaled.transpose(0, 2, 1)
    right = np.zeros((m, k + q, 1))
    right[:, :k, 0] = np.exp(-distance / variogram.range_km)
    right[:, k, 0] = 1.0
    right[:, k + 1 :, 0] = (drift_target - centre[:, 0]) / spread[:, 0]
    # A drift that does not vary among the neighbours carries no information and must not make the system singular.
    matrix[:, np.arange(k + 1, k + q), np.arange(k + 1, k + q)] = -1e-6
    return np.linalg.solve(matrix, right)[:, :k, 0]
