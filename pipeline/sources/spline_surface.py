"""Thin-plate spline climate surfaces of western North America (Rehfeldt 2006, USDA RMRS-GTR-165).

The files are ANUSPLIN 4.3 coefficient files, which no library reads. They give monthly 1961-90 normals at any
longitude, latitude and elevation.
"""

from dataclasses import dataclass

import numpy as np

_MONTHS = 12
_CHUNK = 2000


@dataclass(frozen=True)
class SplineSurface:
    """``knots`` [K, 3] (degrees, degrees, km), ``plane`` [12, 4], ``weights`` [12, K].

    ``power`` is 2 where the surface was fitted to square roots, as that of precipitation was.
    """

    knots: np.ndarray
    plane: np.ndarray
    weights: np.ndarray
    power: int

    def monthly(self, latitude, longitude, elevation_m):
        """Return monthly normals [N, 12] at N points: degrees Celsius, or millimetres for precipitation.

        Plane plus sum over knots of weight * distance / (-8 pi), distances in the units of ``knots``.
        """
        points = np.column_stack([longitude, latitude, np.asarray(elevation_m) / 1000.0])
        values = np.empty((len(points), _MONTHS))
        for start in range(0, len(points), _CHUNK):
            chunk = points[start : start + _CHUNK]
            distance = np.sqrt(sum((chunk[:, axis, None] - self.knots[None, :, axis]) ** 2 for axis in range(3)))
            bend = distance @ self.weights.T / (-8 * np.pi)
            values[start : start + _CHUNK] = self.plane[:, 0] + chunk @ self.plane[:, 1:].T + bend
        # The spline can fall below zero in a month without rain.
        return np.maximum(values, 0.0) ** 2 if self.power == 2 else values


def read_surface(path):
    """Parse an ANUSPLIN ``.sur`` file: header, knots in three blocks, then 12 months of coefficients."""
    lines = path.read_text(encoding="ascii").splitlines()
    knot_count = int(lines[1].split()[2])
    # The seventh number of the header is ANUSPLIN's transformation: 2 is the square root.
    power = 2 if lines[1].split()[6] == "2" else 1
    numbers = np.array(" ".join(lines[6:]).split(), dtype=float)
    knots = numbers[: 3 * knot_count].reshape(3, knot_count).T
    months = numbers[3 * knot_count :].reshape(_MONTHS, 6 + 4 + knot_count)
    return SplineSurface(knots, months[:, 6:10], months[:, 10:], power)
