"""The terrain model: elevation, its derivatives and the position of a place above its surroundings."""

from dataclasses import replace

import numpy as np
from rasterio.features import rasterize
from rasterio.transform import from_origin
from scipy.ndimage import gaussian_filter, maximum_filter, uniform_filter

from pipeline.grid.relief.elevation_fit import SEA_LEVEL, check_metres, fit_states, robust_line
from pipeline.grid.relief.water import find_water
from pipeline.sources.raster import Raster
from pipeline.sources.terrain_tiles import CELLS_PER_DEGREE, read_elevation_model, read_terrain_tiles

_KM_PER_DEGREE = 111.195
_CELL_KM = tuple(_KM_PER_DEGREE / CELLS_PER_DEGREE * shrink for shrink in (1.0, np.cos(np.radians(45.5))))
"""Height of a cell, and its width in the middle of the two states."""
# The tiles have steps of 20 m, which make terraces of gentle slopes; this blurs them.
_SLOPE_BLUR_CELLS = 1.0
# Cells of the terrain in 30 arc-seconds, the cells of PRISM's normals and of the lattice.
_PER_NORMAL_CELL = 4
_OROGRAPHY_KM = 1.0
EXPOSURE_KM = (5.0, 10.0, 20.0)
"""Scales on which the rise of the land to the east and north separates the windward and lee sides of a range."""
NEARBY_KM = 0.8
"""Radius of the search for the highest ground."""
SURROUNDINGS_KM = (5.0, 10.0)
"""Half widths of the squares whose mean elevation a place is compared with: cold air collects in what lies lower."""


class Terrain:
    """Elevation in cells of 7.5 arc-seconds."""

    def __init__(self, sources, plots, oregon_outline, elevation_file=None):
        """Read the tiles, converted from grey levels by a fit on the plots of each state.

        ``elevation_file`` takes their place: metres, with the sea at 0 or below. Raises :class:`SourceError` if they
        are not the metres of the plots.
        """
        if elevation_file:
            levels = read_elevation_model(elevation_file)
            check_metres(levels, plots, elevation_file)
            self.fits = fit_states(levels, plots)
            metres, sea = levels.values.copy(), levels.values <= 0
        else:
            levels = read_terrain_tiles(sources)
            self.fits = fit_states(levels, plots)
            slope, offset = (
                np.where(_burn(oregon_outline, levels), *(np.float32(getattr(fit, name)) for fit in self.fits))
                for name in ("metres_per_level", "offset")
            )
            metres, sea = levels.values * slope + offset, levels.values <= SEA_LEVEL
        latitude = levels.north - np.arange(levels.values.shape[0]) * levels.cell_deg
        metres[sea] = 0.0
        np.maximum(metres, 0.0, out=metres)
        self._frame = (levels.west, levels.north, levels.cell_deg)
        self._metres = self._raster(metres)
        self._sea = self._raster(sea.astype(np.float32))
        self._water = self._raster(find_water(metres, sea, _CELL_KM))
        blurred = gaussian_filter(metres, _SLOPE_BLUR_CELLS)
        metres_per_cell = _KM_PER_DEGREE * 1000 / CELLS_PER_DEGREE
        north_rise, east_rise = np.gradient(blurred)
        self._north_rise = self._raster(-north_rise / np.float32(metres_per_cell))
        east_metres = metres_per_cell * np.cos(np.radians(latitude)).astype(np.float32)
        self._east_rise = self._raster(east_rise / east_metres[:, None])
        self._ruggedness = _scaled_to(self._raster(_ruggedness(metres)), plots)
        self._cell_mean = normal_cell_means(self._metres)
        self._orography, *self._exposure = (_blurred(self._cell_mean, km) for km in (_OROGRAPHY_KM, *EXPOSURE_KM))
        self._highest = self._raster(maximum_filter(metres, footprint=_disc(NEARBY_KM)))
        self._surroundings = [self._raster(self._mean_within(metres, km)) for km in SURROUNDINGS_KM]

    def elevation(self, latitude, longitude):
        """Return metres above sea level, [N]."""
        return self._metres.sample(latitude, longitude).astype(float)

    def cell_mean(self, latitude, longitude):
        """Return metres above sea level, [N]: the mean of the 30 arc-seconds by 30 around places."""
        return self._cell_mean.sample(latitude, longitude).astype(float)

    def orography(self, latitude, longitude):
        """Return metres [N]: elevation blurred by 1 km, on which precipitation depends more than on the place's own."""
        return self._orography.sample(latitude, longitude).astype(float)

    def exposure(self, latitude, longitude):
        """Return metres [N, 6] by which blurred land to the east, and to the north, exceeds that to the other side.

        Both are as far off as the land is blurred, one of :data:`EXPOSURE_KM`.
        """
        rises = []
        for km, raster in zip(EXPOSURE_KM, self._exposure, strict=True):
            north = km / _KM_PER_DEGREE
            east = north / np.cos(np.radians(latitude))
            rises.append(raster.sample(latitude, longitude + east) - raster.sample(latitude, longitude - east))
            rises.append(raster.sample(latitude + north, longitude) - raster.sample(latitude - north, longitude))
        return np.column_stack(rises)

    def is_water(self, latitude, longitude):
        """Return whether all four cells around a place have the grey level of the sea, boolean [N]."""
        return self._sea.sample(latitude, longitude) > 0.99

    def is_lake_or_sea(self, latitude, longitude):
        """Return whether the cell is sea, or level ground that is classified as a lake, boolean [N]."""
        return self._water.sample(latitude, longitude, order=0) > 0

    def highest_nearby(self, latitude, longitude):
        """Return the elevation [N] of the highest cell within :data:`NEARBY_KM`, metres."""
        return self._highest.sample(latitude, longitude, order=0).astype(float)

    def gradient(self, latitude, longitude):
        """Return the rise of the land to the east and to the north, metres per metre, each [N]."""
        return (
            self._east_rise.sample(latitude, longitude).astype(float),
            self._north_rise.sample(latitude, longitude).astype(float),
        )

    def ruggedness(self, latitude, longitude):
        """Return the mean absolute difference of elevation to the eight neighbouring cells, metres, [N]."""
        return self._ruggedness.sample(latitude, longitude).astype(float)

    def above_surroundings(self, latitude, longitude, elevation):
        """Return metres [N, 2] by which elevations lie above the mean of their :data:`SURROUNDINGS_KM`."""
        means = [raster.sample(latitude, longitude) for raster in self._surroundings]
        return np.column_stack([elevation - mean for mean in means])

    def _raster(self, values):
        return Raster(values.astype(np.float32), *self._frame)

    def _mean_within(self, metres, km):
        rows, columns = (2 * round(km / size) + 1 for size in _CELL_KM)
        return uniform_filter(metres, (rows, columns))


def normal_cell_means(raster):
    """Return the mean of a raster in the 30 arc-seconds by 30 around each corner of its cells, as a raster."""
    # The filter's window of an even number of cells lies half a cell to the north-west of its own.
    half = raster.cell_deg / 2
    means = uniform_filter(raster.values, _PER_NORMAL_CELL)
    return Raster(means, raster.west - half, raster.north + half, raster.cell_deg)


def _blurred(means, km):
    """Return the blurred means at every fourth corner."""
    every, cell_deg = _PER_NORMAL_CELL, means.cell_deg * _PER_NORMAL_CELL
    rows = km / (_KM_PER_DEGREE * cell_deg)
    columns = rows / np.cos(np.radians(45.5))
    blurred = gaussian_filter(means.values[::every, ::every], (rows, columns), mode="nearest")
    return Raster(blurred, means.west, means.north, cell_deg)


def _disc(km):
    rows, columns = (np.arange(-(km // size), km // size + 1) * size for size in _CELL_KM)
    return np.hypot(rows[:, None], columns) <= km


def _ruggedness(metres):
    total = np.zeros_like(metres)
    padded = np.pad(metres, 1, mode="edge")
    rows, columns = metres.shape
    for down in range(3):
        for right in range(3):
            total += np.abs(padded[down : down + rows, right : right + columns] - metres)
    return total / 8


def _scaled_to(ruggedness, plots):
    """Return the index with a line applied that fits it to that of the plots, whose cells have another size."""
    known = np.isfinite(plots["terrain_ruggedness"].to_numpy())
    here = ruggedness.sample(plots["latitude"].to_numpy()[known], plots["longitude"].to_numpy()[known])
    slope, offset = robust_line(here.astype(float), plots["terrain_ruggedness"].to_numpy()[known])
    return replace(ruggedness, values=np.maximum(ruggedness.values * np.float32(slope) + np.float32(offset), 0))


def _burn(outline, raster):
    corner = from_origin(
        raster.west - raster.cell_deg / 2, raster.north + raster.cell_deg / 2, raster.cell_deg, raster.cell_deg
    )
    return rasterize([(outline, 1)], out_shape=raster.values.shape, transform=corner, dtype="uint8").astype(bool)


def slope_and_aspect(east_rise, north_rise):
    """Return slope in degrees, eastness and northness [-1, 1] of the downhill direction, each [N]; zeros if level."""
    steepness = np.hypot(east_rise, north_rise)
    level = steepness < 1e-4
    safe = np.where(level, 1.0, steepness)
    eastness, northness = (np.where(level, 0.0, -rise / safe) for rise in (east_rise, north_rise))
    return np.degrees(np.arctan(steepness)), eastness, northness


def heat_load(latitude, slope, eastness, northness):
    """Return potential annual direct radiation with its optimum in the south-west, MJ per square cm and year, [N].

    McCune and Keon (2002), Equations for potential annual direct incident radiation and heat load, Journal of
    Vegetation Science 13:603-606, equation 1, with the aspect folded about the line from north-east to south-west.
    """
    aspect = np.degrees(np.arctan2(eastness, northness)) % 360
    folded = np.radians(np.abs(180 - np.abs(aspect - 225)))
    phi, tilt = np.radians(latitude), np.radians(slope)
    return np.exp(
        -1.467
        + 1.582 * np.cos(phi) * np.cos(tilt)
        - 1.500 * np.cos(folded) * np.sin(tilt) * np.sin(phi)
        - 0.262 * np.sin(phi) * np.sin(tilt)
        + 0.607 * np.sin(folded) * np.sin(tilt)
    )
