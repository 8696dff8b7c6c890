import numpy as np
import pytest
from shapely import MultiPolygon, box

from pipeline.grid.points import SPACING_KM, lattice
from pipeline.grid.projection import great_circle_km, in_degrees, in_kilometres, to_degrees, to_plane


def test_projection_to_the_plane_and_back_gives_the_same_degrees():
    latitude, longitude = np.meshgrid(np.linspace(42, 49, 15), np.linspace(-124.7, -116.5, 15))
    back = to_degrees(*to_plane(latitude, longitude))
    assert back[0] == pytest.approx(latitude, abs=1e-9)
    assert back[1] == pytest.approx(longitude, abs=1e-9)


def test_areas_on_the_plane_are_those_on_the_sphere():
    cell = box(-120.0, 45.0, -119.0, 46.0).segmentize(0.01)
    strip = 6371.0088**2 * np.radians(1) * (np.sin(np.radians(46)) - np.sin(np.radians(45)))
    assert in_kilometres(cell).area == pytest.approx(strip, rel=1e-6)
    assert in_degrees(in_kilometres(cell)).equals_exact(cell, 1e-9)


def test_one_degree_of_latitude_is_111_km():
    assert great_circle_km(45.0, -120.0, 46.0, -120.0) == pytest.approx(111.195, abs=0.001)


def test_lattice_points_are_one_spacing_apart_ordered_and_inside():
    land = {"a": MultiPolygon([box(-121, 45, -120.5, 45.5)]), "b": MultiPolygon([box(-120.5, 45, -120, 45.5)])}
    latitude, longitude, region = lattice(land)
    distance = great_circle_km(latitude[:, None], longitude[:, None], latitude, longitude)
    np.fill_diagonal(distance, np.inf)
    assert distance.min(axis=1) == pytest.approx(SPACING_KM, rel=0.01)
    assert (np.diff(latitude) >= 0).all()
    assert ((longitude < -120.5) == (region == 0)).all()
