"""Terrain heights from 8-bit Web Mercator tiles, averaged to a longitude-latitude raster of 7.5 arc-seconds."""

import numpy as np
import rasterio
from PIL import Image
from rasterio.transform import from_origin
from rasterio.warp import Resampling, reproject
from scipy import sparse

from pipeline.sources.manifest import SourceError
from pipeline.sources.raster import Raster

CELLS_PER_DEGREE = 480
_ZOOM = 7
_TILES_X, _TILES_Y = range(19, 23), range(43, 48)
_WEST, _SOUTH, _EAST, _NORTH = -125.2, 41.7, -116.2, 49.3
_COLUMNS = round((_EAST - _WEST) * CELLS_PER_DEGREE)
_ROWS = round((_NORTH - _SOUTH) * CELLS_PER_DEGREE)


def read_terrain_tiles(sources):
    """Return the mean grey level of every cell as a float32 :class:`Raster`.

    Raises :class:`SourceError` naming a tile that is missing, damaged or leaves a cell of the raster without pixels.
    """
    west_edges = _WEST + np.arange(_COLUMNS + 1) / CELLS_PER_DEGREE
    north_edges = _NORTH - np.arange(_ROWS + 1) / CELLS_PER_DEGREE
    sums = np.zeros((_ROWS, _COLUMNS), dtype=np.float32)
    cover = np.zeros((_ROWS, _COLUMNS), dtype=np.float32)
    for x in _TILES_X:
        for y in _TILES_Y:
            pixels = _read_tile(sources.path(f"terrain_{x}_{y}"))
            height, width = pixels.shape
            across, first_column = _overlaps((_mercator_x(west_edges) - x) * width, width)
            down, first_row = _overlaps((_mercator_y(north_edges) - y) * height, height)
            rows = slice(first_row, first_row + down.shape[0])
            columns = slice(first_column, first_column + across.shape[0])
            sums[rows, columns] += (across @ (down @ pixels).T).T
            cover[rows, columns] += np.outer(down.sum(axis=1), across.sum(axis=1))
    if not (cover > 0).all():
        row, column = np.argwhere(cover <= 0)[0]
        raise SourceError(f"terrain: no tile covers {north_edges[row]:.3f}, {west_edges[column]:.3f}")
    half = 0.5 / CELLS_PER_DEGREE
    return Raster(sums / cover, _WEST + half, _NORTH - half, 1 / CELLS_PER_DEGREE)


def read_elevation_model(path):
    """Return the mean of any raster that GDAL reads in the cells of :func:`read_terrain_tiles`, a float32 raster.

    Raises :class:`SourceError` if it cannot be read, does not say where it lies or does not cover both states.
    """
    half = 0.5 / CELLS_PER_DEGREE
    values = np.full((_ROWS, _COLUMNS), np.nan, dtype=np.float32)
    corner = from_origin(_WEST, _NORTH, 1 / CELLS_PER_DEGREE, 1 / CELLS_PER_DEGREE)
    try:
        with rasterio.open(path) as dataset:
            if dataset.crs is None:
                raise SourceError(f"{path}: has no coordinate reference system")
            reproject(
                rasterio.band(dataset, 1),
                values,
                dst_transform=corner,
                dst_crs="EPSG:4326",
                dst_nodata=np.nan,
                resampling=Resampling.average,
            )
    except rasterio.errors.RasterioError as error:
        raise SourceError(f"{path}: cannot be read as an elevation model: {error}") from error
    if np.isnan(values).any():
        row, column = np.argwhere(np.isnan(values))[0]
        place = f"{_NORTH - row / CELLS_PER_DEGREE:.3f}, {_WEST + column / CELLS_PER_DEGREE:.3f}"
        raise SourceError(f"{path}: has no elevation at {place}")
    return Raster(values, _WEST + half, _NORTH - half, 1 / CELLS_PER_DEGREE)


def _read_tile(path):
    try:
        with Image.open(path) as image:
            if image.mode != "L":
                raise SourceError(f"{path}: is not an 8-bit grey image")
            return np.asarray(image).astype(np.float32)
    except OSError as error:
        raise SourceError(f"{path}: is not a readable image: {error}") from error


def _mercator_x(longitude):
    return (np.asarray(longitude) + 180) / 360 * 2**_ZOOM


def _mercator_y(latitude):
    return (1 - np.arcsinh(np.tan(np.radians(latitude))) / np.pi) / 2 * 2**_ZOOM


def _overlaps(edges, size):
    """Return a sparse [cells, size] of the lengths that pixels share with cells, and the first cell of it.

    ``edges`` [all cells + 1] are the cells' rising borders in pixels; only cells that touch the tile are kept.
    """
    inside = np.flatnonzero((edges[1:] > 0) & (edges[:-1] < size))
    rows, columns, lengths = [], [], []
    for cell in inside:
        low, high = max(edges[cell], 0.0), min(edges[cell + 1], float(size))
        pixels = np.arange(int(low), min(int(np.ceil(high)), size))
        shared = np.minimum(pixels + 1, high) - np.maximum(pixels, low)
        rows.append(np.full(len(pixels), cell - inside[0]))
        columns.append(pixels)
        lengths.append(shared)
    parts = (np.concatenate(lengths), (np.concatenate(rows), np.concatenate(columns)))
    return sparse.csr_matrix(parts, shape=(len(inside), size), dtype=np.float32), int(inside[0])
