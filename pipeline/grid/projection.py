"""The equal-area plane of Oregon and Washington, in kilometres, and great-circle distance.

The lattice, kriging and all distances between plots need one plane on which a kilometre is a kilometre: the Albers
projection of the mean sphere. Formulas: Snyder (1987), Map Projections: A Working Manual, USGS Professional Paper
1395, section 14. They are written out because PROJ's results (``+proj=aea``) differ in the last bits, up to 3e-12 km,
and that moves two vertices of ``data/regions.geojson``, whose checksum is published.
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
    """Convert degrees to kilometres: arrays of one shape in, ``(x, y)`` of the same shape out."""
    rho = np.sqrt(_c - 2 * _n * np.sin(np.radians(latitude))) / _n
    theta = _n * np.radians(np.asarray(longitude) - _ORIGIN_DEG[1])
    return EARTH_RADIUS_KM * rho * np.sin(theta), EARTH_RADIUS_KM * (_rho0 - rho * np.cos(theta))


def to_degrees(x, y):
    """Convert kilometres of the plane to ``(latitude, longitude)`` in degrees."""
    u, v = np.asarray(x) / EARTH_RADIUS_KM, _rho0 - np.asarray(y) / EARTH_RADIUS_KM
    rho, theta = np.hypot(u, v), np.arctan2(u, v)
    latitude = np.degrees(np.arcsin((_c - (rho * _n) ** 2) / (2 * _n)))
    return latitude, _ORIGIN_DEG[1] + np.degrees(theta / _n)


def in_kilometres(shape):
    """Project a shapely geometry of longitudes and latitudes to the plane."""
    return shapely.transform(shape, lambda c: np.column_stack(to_plane(c[:, 1], c[:, 0])))


def in_degrees(shape):
    """Convert a shapely geometry of the plane to longitudes and latitudes."""
    return shapely.transform(shape, lambda c: np.column_stack(to_degrees(c[:, 0], c[:, 1])[::-1]))


def great_circle_km(latitude_a, longitude_a, latitude_b, longitude_b):
    """Return the great-circle distance in kilometres on the mean sphere (haversine); arguments broadcast."""
    phi_a, phi_b = np.radians(latitude_a), np.radians(latitude_b)
    half_phi = (phi_b - phi_a) / 2
    half_lambda = np.radians(np.asarray(longitude_b) - longitude_a) / 2
    h = np.sin(half_phi) ** 2 + np.cos(phi_a) * np.cos(phi_b) * np.sin(half_lambda) ** 2
    return 2 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(h))
