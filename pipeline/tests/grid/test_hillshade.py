"""The shaded relief of the planner's map."""

import io

import numpy as np
from PIL import Image

from pipeline.grid.relief.hillshade import hillshade, tiles
from pipeline.sources.raster import Raster


def test_slopes_towards_the_north_west_are_brighter_than_level_ground_and_others_darker():
    rows, columns = np.mgrid[0:40, 0:40]
    level = hillshade(np.zeros((40, 40)), 45.0, 0.01)[20, 20]
    facing_light = hillshade((rows + columns) * 100.0, 45.0, 0.01)[20, 20]
    in_shadow = hillshade(-(rows + columns) * 100.0, 45.0, 0.01)[20, 20]
    assert in_shadow < level == np.sin(np.radians(45)) < facing_light


def test_tiles_are_transparent_on_the_sea_and_beyond_the_terrain():
    # Land in the east of a square, from 123 degrees west on.
    land = np.repeat([0.0, 1.0], 60)[None, :].repeat(100, axis=0)
    frame = {"west": -123.6, "north": 45.5, "cell_deg": 0.01}
    pictures = {(zoom, x, y): body for zoom, x, y, body in tiles(Raster(land, **frame), Raster(land, **frame))}
    west = 40 / 256 * 360 - 180
    image = Image.open(io.BytesIO(pictures[8, 40, 91])).convert("RGBA")
    opaque = np.asarray(image)[:, :, 3] > 0
    column_of = lambda longitude: int((longitude - west) / (360 / 256) * 512)  # noqa: E731
    middle = opaque[300]
    assert not middle[: column_of(-123.05)].any()
    assert middle[column_of(-122.95) : column_of(-122.45)].all()
    assert not middle[column_of(-122.35) :].any()
