"""Candidate points: a triangular lattice of equal spacing on the equal-area plane."""

import numpy as np
import shapely

from pipeline.grid.projection import to_degrees, to_plane

SPACING_KM = 3.7


def lattice(land):
    """Points inside ``land``, ``{region: MultiPolygon}`` in degrees.

    Returns ``(latitude, longitude, region)``, each [N]: degrees rounded to 5 decimals and the index of the region,
    ordered by latitude, then longitude.
    """
    west, south, east, north = shapely.total_bounds(list(land.values()))
    edge = shapely.segmentize(shapely.box(west, south, east, north), 0.1).exterior.coords
    x_edge, y_edge = to_plane(*np.array(edge).T[::-1])
    rows = np.arange(y_edge.min(), y_edge.max(), SPACING_KM * np.sqrt(3) / 2)
    columns = np.arange(x_edge.min(), x_edge.max(), SPACING_KM)
    x, y = np.meshgrid(columns, rows)
    x = x + (np.arange(len(rows)) % 2 * SPACING_KM / 2)[:, None]
    latitude, longitude = (np.round(degrees.ravel(), 5) for degrees in to_degrees(x, y))
    region = np.full(latitude.shape, -1)
    for index, shape in enumerate(land.values()):
        shapely.prepare(shape)
        region[shapely.contains_xy(shape, longitude, latitude)] = index
    order = np.lexsort((longitude, latitude))
    order = order[region[order] >= 0]
    return latitude[order], longitude[order], region[order]
