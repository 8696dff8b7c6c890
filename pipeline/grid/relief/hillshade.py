"""The shaded relief of the planner's map: grey tiles in Web Mercator, transparent on the sea and beyond the terrain."""

import io

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter

TILE_PX = 512
MIN_ZOOM, MAX_ZOOM = 4, 8
"""Zooms of tiles of 512 pixels: at zoom 8 a pixel is about 210 m, as wide as a cell of the terrain."""
# Light from the north-west, as cartographers draw it; heights are stretched because slopes of cells are gentle.
_AZIMUTH, _ALTITUDE = np.radians(315.0), np.radians(45.0)
_EXAGGERATION = 2.5
_METRES_PER_DEGREE = 111_195.0
# The terrain has steps of 20 m, which make terraces of gentle slopes; this blurs them.
_BLUR_CELLS = 1.0
_QUALITY = 60


def hillshade(metres, north, cell_deg):
    """Return the brightness [rows, columns], 0 to 1, of a raster of elevations whose first row lies at ``north``.

    Level ground has sin(45 degrees). Horn (1981), Hill shading and the reflectance map, Proceedings of the IEEE
    69:14-47.
    """
    blurred = gaussian_filter(metres, _BLUR_CELLS)
    latitude = north - np.arange(metres.shape[0]) * cell_deg
    cell_m = cell_deg * _METRES_PER_DEGREE
    down, right = np.gradient(blurred * _EXAGGERATION)
    north_rise = -down / cell_m
    east_rise = right / (cell_m * np.cos(np.radians(latitude)))[:, None]
    towards_light = east_rise * np.sin(_AZIMUTH) + north_rise * np.cos(_AZIMUTH)
    lit = np.sin(_ALTITUDE) - towards_light * np.cos(_ALTITUDE)
    return np.clip(lit / np.sqrt(1 + east_rise**2 + north_rise**2), 0, 1)


def tiles(shade, land):
    """Yield (zoom, x, y, bytes of a WebP picture) for the tiles that have land, by rising zoom.

    ``shade`` is a :class:`Raster` of brightness, ``land`` one that is 1 on land and 0 on the sea.
    """
    rows, columns = shade.values.shape
    south, east = shade.north - (rows - 1) * shade.cell_deg, shade.west + (columns - 1) * shade.cell_deg
    for zoom in range(MIN_ZOOM, MAX_ZOOM + 1):
        # A pixel of a lower zoom is the mean of many cells.
        blur = 2.0 ** (MAX_ZOOM - zoom) / 2 if zoom < MAX_ZOOM else 0
        smooth = [gaussian_filter(each.values, blur) if blur else each.values for each in (shade, land)]
        left, right = (int(_tile_x(longitude, zoom)) for longitude in (shade.west, east))
        top, bottom = (int(_tile_y(latitude, zoom)) for latitude in (shade.north, south))
        for x in range(left, right + 1):
            for y in range(top, bottom + 1):
                picture = _picture(shade, smooth, zoom, x, y)
                if picture is not None:
                    yield zoom, x, y, picture


def _picture(frame, values, zoom, x, y):
    """Return a tile as WebP; None if it has no land."""
    offsets = (np.arange(TILE_PX) + 0.5) / TILE_PX
    longitude = (x + offsets) / 2**zoom * 360 - 180
    latitude = np.degrees(np.arctan(np.sinh(np.pi * (1 - 2 * (y + offsets) / 2**zoom))))
    grey, opaque = (_sample(frame, each, latitude, longitude) for each in values)
    inside = opaque > 0.5
    if not inside.any():
        return None
    # The sea gets level ground, because sharp edges that nobody sees would cost bytes.
    grey = np.where(inside, grey, np.sin(_ALTITUDE))
    bands = [Image.fromarray(np.round(each * 255).astype(np.uint8)) for each in (grey, inside)]
    file = io.BytesIO()
    Image.merge("RGBA", [bands[0]] * 3 + [bands[1]]).save(file, "WEBP", quality=_QUALITY, method=6)
    return file.getvalue()


def _sample(frame, values, latitude, longitude):
    """Return a raster at a grid of places, bilinear; 0 beyond its edges."""
    rows, columns = (frame.north - latitude) / frame.cell_deg, (longitude - frame.west) / frame.cell_deg
    height, width = values.shape
    outside = ((rows < 0) | (rows > height - 1))[:, None] | ((columns < 0) | (columns > width - 1))[None, :]
    top, left = (np.clip(each.astype(int), 0, size - 2) for each, size in ((rows, height), (columns, width)))
    down, right = (rows - top)[:, None], (columns - left)[None, :]
    upper, lower = (values[row][:, left] * (1 - right) + values[row][:, left + 1] * right for row in (top, top + 1))
    return np.where(outside, 0, upper * (1 - down) + lower * down)


def _tile_x(longitude, zoom):
    return (longitude + 180) / 360 * 2**zoom


def _tile_y(latitude, zoom):
    return (1 - np.arcsinh(np.tan(np.radians(latitude))) / np.pi) / 2 * 2**zoom
