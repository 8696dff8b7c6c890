import numpy as np
import pytest
from shapely import box

from pipeline.grid.projection import great_circle_km, in_degrees, in_kilometres, to_plane


def test_near_places_are_as_far_apart_on_the_plane_as_on_the_sphere():
    latitude, longitude = np.meshgrid(np.linspace(42, 49, 15), np.linspace(-124.7, -116.5, 15))
    for north, east in ((0.01, 0.0), (0.0, 0.01), (0.01, -0.01)):
        there = latitude + north, longitude + east
        on_plane = np.hypot(*np.subtract(to_plane(*there), to_plane(latitude, longitude)))
        assert on_plane == pytest.approx(great_circle_km(latitude, longitude, *there), rel=0.005)


def test_areas_on_the_plane_are_those_on_the_sphere():
    cell = box(-120.0, 45.0, -119.0, 46.0).segmentize(0.01)
    strip = 6371.0088**2 * np.radians(1) * (np.sin(np.radians(46)) - np.sin(np.radians(45)))
    assert in_kilometres(cell).area == pytest.approx(strip, rel=1e-6)
    assert in_degrees(in_kilometres(cell)).equals_exact(cell, 1e-9)


def test_one_degree_of_latitude_is_111_km():
    assert great_circle_km(45.0, -120.0, 46.0, -120.0) == pytest.approx(111.195, abs=0.001)
