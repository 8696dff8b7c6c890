import json

import numpy as np

from pipeline.grid.lattice import COLUMNS, ROWS, degrees_of
from pipeline.grid.ranges import native_ranges


def square(west, south, east, north, code):
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {
        "type": "Feature",
        "properties": {"CODE": code},
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }


def test_a_range_is_its_polygons_without_its_holes_and_sets_the_bit_of_its_index_in_the_list(tmp_path):
    features = [square(-123, 43, -121, 46, code=1), square(-122.5, 44, -121.5, 45, code=0)]
    for name, shown in (("first", features[:1]), ("second", features)):
        (tmp_path / name).write_text(json.dumps({"type": "FeatureCollection", "features": shown}), encoding="utf-8")
    row, column = (index.ravel() for index in np.meshgrid(np.arange(ROWS), np.arange(COLUMNS), indexing="ij"))
    bits = native_ranges([tmp_path / "first", tmp_path / "second"], row, column)
    latitude, longitude = degrees_of(row, column)
    outer = (longitude > -123) & (longitude < -121) & (latitude > 43) & (latitude < 46)
    hole = (longitude > -122.5) & (longitude < -121.5) & (latitude > 44) & (latitude < 45)
    assert np.array_equal(bits & 1, outer)
    assert np.array_equal(bits >> 1 & 1, outer & ~hole)
