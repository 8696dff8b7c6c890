"""The equal-area plane of Oregon and Washington, in kilometres, and great-circle distance.

The lattice, kriging and all distances between plots need one plane on which a kilometre is a kilometre: the Albers
projection of the mean sphere.
"""

import numpy as np
import shapely
from pyproj import Proj

EARTH_RADIUS_KM = 6371.0088
_ALBERS = Proj(proj="aea", lat_1=43, lat_2=48, lat_0=45.5, lon_0=-120.5, R=EARTH_RADIUS_KM * 1000, units="km")


def to_plane(latitude, longitude):
    """Convert degrees to kilometres: arrays of one shape in, ``(x, y)`` of the same shape out."""
    return _ALBERS(longitude, latitude)


def in_kilometres(shape):
    """Project a shapely geometry of longitudes and latitudes to the plane."""
    return shapely.transform(shape, _ALBERS, interleaved=False)


def in_degrees(shape):
    """Convert a shapely geometry of the plane to longitudes and latitudes."""
    return shapely.transform(shape, lambda x, y: _ALBERS(x, y, inverse=True), interleaved=False)


def great_circle_km(latitude_a, longitude_a, latitude_b, longitude_b):
    """Return the great-circle distance in kilometres on the mean sphere (haversine); arguments broadcast."""
    phi_a, phi_b = np.radians(latitude_a), np.radians(latitude_b)
    half_phi = (phi_b - phi_a) / 2
    half_lambda = np.radians(np.asarray(longitude_b) - longitude_a) / 2
    h = np.sin(half_phi) ** 2 + np.cos(phi_a) * np.cos(phi_b) * np.sin(half_lambda) ** 2
    return 2 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(h))
