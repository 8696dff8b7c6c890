"""Kriging for many targets: one system is solved for each cell of targets that share a neighbourhood.

The prediction at a target is the covariances with the neighbours times the weights of the dual system, plus the trend
(Cressie 1993, Statistics for Spatial Data, section 3.4.5): the system depends on the neighbours alone, and 36 grid
points share one.

Our own, because it combines a moving neighbourhood, external drift and leave-one-out for half a million targets.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

_CHUNK_CELLS = 1000
_CHUNK_TARGETS = 50_000


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


class CellKriging:
    """Kriging of ``values`` [N] at ``xyz`` [N, D] (km, km, m, ...) around ``centres`` [C, D] of cells.

    Coordinates beyond the third are further kilometres of distance between unlike places.

    ``drift`` [N, Q] are the trend's columns without the constant, Q may be 0; None is a field of known mean zero.
    With ``leave_own_out`` the centres are the data themselves, and a datum is not used for itself.
    """

    def __init__(self, xyz, drift, values, centres, variogram, leave_own_out=False):
        self._variogram = variogram
        self._scale = np.ones(np.shape(xyz)[1])
        self._scale[2] = variogram.km_per_100m / 100.0
        self._data = np.asarray(xyz) * self._scale
        self._drift = None if drift is None else np.asarray(drift)
        near = self._neighbours(np.asarray(centres) * self._scale, leave_own_out)
        k, trend = near.shape[1], 0 if drift is None else 1 + self._drift.shape[1]
        self._near = near
        self._weights = np.empty((len(near), k))
        self._trend = np.empty((len(near), trend))
        if drift is not None:
            # Centring and scaling the drift in each neighbourhood conditions the system.
            self._centre = self._drift[near].mean(axis=1)
            self._spread = self._drift[near].std(axis=1) + 1e-9
        for start in range(0, len(near), _CHUNK_CELLS):
            rows = slice(start, start + _CHUNK_CELLS)
            places = self._data[near[rows]]
            apart = np.linalg.norm(places[:, :, None] - places[:, None, :], axis=3)
            m = len(places)
            system = np.zeros((m, k + trend, k + trend))
            system[:, :k, :k] = variogram.covariance(apart) + variogram.nugget * np.eye(k)
            if trend:
                columns = (self._drift[near[rows]] - self._centre[rows, None]) / self._spread[rows, None]
                system[:, :k, k:] = np.concatenate([np.ones((m, k, 1)), columns], axis=2)
                system[:, k:, :k] = system[:, :k, k:].transpose(0, 2, 1)
                # A drift that does not vary among the neighbours would make the system singular.
                diagonal = np.arange(k + 1, k + trend)
                system[:, diagonal, diagonal] = -1e-6
            right = np.zeros((m, k + trend, 1))
            right[:, :k, 0] = values[near[rows]]
            solved = np.linalg.solve(system, right)[:, :, 0]
            self._weights[rows], self._trend[rows] = solved[:, :k], solved[:, k:]

    def at(self, cell, xyz, drift=None):
        """Return predictions [M] at places [M, D] with their drift [M, Q], each from the system of its ``cell`` [M]."""
        result = np.empty(len(cell))
        for start in range(0, len(cell), _CHUNK_TARGETS):
            rows = slice(start, start + _CHUNK_TARGETS)
            own = cell[rows]
            target = xyz[rows] * self._scale
            distance = np.zeros((len(own), self._near.shape[1]))
            near = self._near[own]
            for axis in range(len(self._scale)):
                distance += (self._data[near, axis] - target[:, axis, None]) ** 2
            covariance = self._variogram.covariance(np.sqrt(distance))
            value = np.einsum("mk,mk->m", covariance, self._weights[own])
            if drift is not None:
                scaled = (drift[rows] - self._centre[own]) / self._spread[own]
                value += self._trend[own, 0] + (scaled * self._trend[own, 1:]).sum(axis=1)
            result[rows] = value
        return result

    def _neighbours(self, centres, leave_own_out):
        k = min(self._variogram.neighbours, len(self._data) - leave_own_out)
        near = cKDTree(self._data).query(centres, k + leave_own_out)[1]
        if not leave_own_out:
            return near
        own = near == np.arange(len(centres))[:, None]
        # Where data share a place the own one may not be among the nearest: the last is left out instead.
        own[~own.any(axis=1), -1] = True
        return near[~own].reshape(len(centres), k)


def cell_centres(xyz, cell, count):
    """Return the mean place [C, D] of the targets [M, D] of each of ``count`` cells."""
    sums = np.stack([np.bincount(cell, xyz[:, axis], count) for axis in range(xyz.shape[1])], axis=1)
    return sums / np.bincount(cell, minlength=count)[:, None]
