import json

import numpy as np
import pytest

from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID
from pipeline.outcomes.envelopes import points_in_range


def square(west, south, east, north, code):
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {
        "type": "Feature",
        "properties": {"CODE": code},
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }


@pytest.fixture(scope="module")
def grid():
    return read_grid(GRID)


def test_a_range_is_its_polygons_less_its_holes(grid, tmp_path):
    path = tmp_path / "range.geojson"
    features = [square(-123, 43, -121, 46, code=1), square(-122.5, 44, -121.5, 45, code=0)]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
    longitude, latitude = grid.longitude, grid.latitude
    outer = (longitude > -123) & (longitude < -121) & (latitude > 43) & (latitude < 46)
    hole = (longitude > -122.5) & (longitude < -121.5) & (latitude > 44) & (latitude < 45)
    inside = points_in_range(grid, path)
    assert np.array_equal(inside, outer & ~hole)
    assert 0 < inside.sum() < len(inside)
