"""Albers equal-area plane for Oregon and Washington, in kilometres.

Lattice, kriging and density all need one plane where a kilometre is a kilometre. Formulas: Snyder (1987),
Map Projections: A Working Manual, USGS Professional Paper 1395, section 14, on the sphere.
"""

import numpy as np
import shapely

EARTH_RADIUS_KM = 6371.0088
_PARALLELS_DEG = (43.0, 48.0)
_ORIGIN_DEG = (45.5, -120.5)

_sines = np.sin(np.radians(_PARALLELS_DEG))
_n = _sines.mean()
_c = np.cos(np.radians(_PARALLELS_DEG[0])) ** 2 + 2 * _n * _sines[0]
_rho0 = np.sqrt(_c - 2 * _n * np.sin(np.radians(_ORIGIN_DEG[0]))) / _n


def to_plane(latitude, longitude):
    """Degrees to kilometres: arrays of one shape in, ``(x, y)`` of the same shape out."""
    rho = np.sqrt(_c - 2 * _n * np.sin(np.radians(latitude))) / _n
    theta = _n * np.radians(np.asarray(longitude) - _ORIGIN_DEG[1])
    return EARTH_RADIUS_KM * rho * np.sin(theta), EARTH_RADIUS_KM * (_rho0 - rho * np.cos(theta))


def to_degrees(x, y):
    """Kilometres back to ``(latitude, longitude)`` in degrees."""
    u, v = np.asarray(x) / EARTH_RADIUS_KM, _rho0 - np.asarray(y) / EARTH_RADIUS_KM
    rho, theta = np.hypot(u, v), np.arctan2(u, v)
    latitude = np.degrees(np.arcsin((_c - (rho * _n) ** 2) / (2 * _n)))
    return latitude, _ORIGIN_DEG[1] + np.degrees(theta / _n)


def in_kilometres(shape):
    """A shapely geometry of longitudes and latitudes on the plane."""
    return shapely.transform(shape, lambda c: np.column_stack(to_plane(c[:, 1], c[:, 0])))


def in_degrees(shape):
    """A shapely geometry of the plane back in longitudes and latitudes."""
    return shapely.transform(shape, lambda c: np.column_stack(to_degrees(c[:, 0], c[:, 1])[::-1]))


def great_circle_km(latitude_a, longitude_a, latitude_b, longitude_b):
    """Great-circle distance in kilometres on the mean sphere (haversine), broadcasting."""
    phi_a, phi_b = np.radians(latitude_a), np.radians(latitude_b)
    half_phi = (phi_b - phi_a) / 2
    half_lambda = np.radians(np.asarray(longitude_b) - longitude_a) / 2
    h = np.sin(half_phi) ** 2 + np.cos(phi_a) * np.cos(phi_b) * np.sin(half_lambda) ** 2
    return 2 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(h))
