"""The lattice of the grid's points: nodes every 30 arc-seconds, addressed by row and column."""

import numpy as np
import shapely
from rasterio.features import rasterize
from rasterio.transform import from_origin

# Nodes are the centres of the cells of PRISM's normals, which lie at whole multiples of 30 arc-seconds, but for three
# metres, so that no coordinate of up to four decimals is equally near to two nodes.
SOUTH, WEST = 41.89586, -125.00414
STEPS_PER_DEGREE = 120
ROWS, COLUMNS = 864, 1032
"""Nodes lie in the middle of cells; row 0 is the southernmost and column 0 the westernmost."""

CELLS_PER_DEGREE = 20
"""Cells of 3 arc-minutes, whose points share a kriging neighbourhood."""


def degrees_of(row, column, south=SOUTH, west=WEST):
    """Return latitude and longitude of nodes, each [N], rounded to 5 decimals as the service reports them."""
    latitude = south + (np.asarray(row) + 0.5) / STEPS_PER_DEGREE
    longitude = west + (np.asarray(column) + 0.5) / STEPS_PER_DEGREE
    return np.floor(latitude * 1e5 + 0.5) / 1e5, np.floor(longitude * 1e5 + 0.5) / 1e5


def nodes_of(latitude, longitude):
    """Return row and column of nodes, each int64 [N], from what `degrees_of` returned."""
    south, west = (np.asarray(latitude) - SOUTH) * STEPS_PER_DEGREE, (np.asarray(longitude) - WEST) * STEPS_PER_DEGREE
    return np.rint(south - 0.5).astype(int), np.rint(west - 0.5).astype(int)


def normal_cells(latitude, longitude):
    """Return latitude and longitude of the centres, each [N], of the cells of PRISM's normals that hold places.

    The centres are at whole multiples of 30 arc-seconds.
    """
    return tuple(np.floor(np.asarray(d) * STEPS_PER_DEGREE + 0.5) / STEPS_PER_DEGREE for d in (latitude, longitude))


def kriging_cells(latitude, longitude):
    """Return the number of each place's cell of 3 arc-minutes, [N], 0 to C - 1 without gaps, and C."""
    row, column = (np.floor(np.asarray(d) * CELLS_PER_DEGREE).astype(int) for d in (latitude, longitude))
    names, cell = np.unique(row * 100_000 + column, return_inverse=True)
    return cell, len(names)


def burn(shapes, values=None, fill=0, dtype="uint8"):
    """Return [ROWS, COLUMNS] with the value of the last shape (degrees) that holds a node, ``fill`` where none does."""
    numbers = [1] * len(shapes) if values is None else values
    north = SOUTH + ROWS / STEPS_PER_DEGREE
    raster = rasterize(
        list(zip(shapes, numbers, strict=True)) or [(shapely.Point(0, 0), 0)],
        out_shape=(ROWS, COLUMNS),
        transform=from_origin(WEST, north, 1 / STEPS_PER_DEGREE, 1 / STEPS_PER_DEGREE),
        fill=fill,
        dtype=dtype,
    )
    return np.flipud(raster)
