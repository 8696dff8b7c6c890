"""Places that everybody knows: their state, and whether the committed grid has a point within reach of them.

``places.csv`` is written from general knowledge of the two states, not from what the grid has.
"""

from pathlib import Path

import pandas as pd
import pytest
from shapely import Point

from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID, REGIONS
from pipeline.grid.points import SEARCH_RADIUS_KM
from pipeline.grid.projection import great_circle_km
from pipeline.grid.regions import read_regions

PLACES = pd.read_csv(Path(__file__).with_name("places.csv"), index_col="name")
INSIDE = {
    "Portland": (45.515, -122.678, "US-OR"),
    "Vancouver, Washington": (45.63, -122.66, "US-WA"),
    "Puget Sound": (47.60, -122.42, "US-WA"),
    "Hood Canal": (47.65, -122.90, "US-WA"),
    "Rosario Strait": (48.55, -122.75, "US-WA"),
    "Point Roberts": (48.985, -123.06, "US-WA"),
    "Grays Harbor": (46.95, -124.00, "US-WA"),
    "Willapa Bay": (46.55, -123.98, "US-WA"),
    "the Columbia off Astoria": (46.22, -123.85, "US-OR"),
    "the mouth of the Columbia": (46.25, -123.97, "US-OR"),
    "Cape Flattery": (48.38, -124.70, "US-WA"),
    "Cape Blanco": (42.837, -124.56, "US-OR"),
    "Astoria": (46.188, -123.83, "US-OR"),
    "Brookings": (42.05, -124.28, "US-OR"),
}
OUTSIDE = {
    "Victoria": (48.43, -123.36),
    "Vancouver, British Columbia": (49.28, -123.12),
    "the Canadian side of Juan de Fuca": (48.35, -123.70),
    "Saltspring Island": (48.80, -123.45),
    "open Pacific": (45.0, -124.6),
    "Crescent City": (41.76, -124.20),
    "just south of the Oregon line": (41.99, -123.0),
    "Boise": (43.62, -116.20),
    "Moscow, Idaho": (46.73, -117.00),
    "Winnemucca": (40.97, -117.74),
    "just north of the 49th parallel": (49.01, -119.5),
}


@pytest.fixture(scope="module")
def regions():
    return read_regions(REGIONS)


@pytest.fixture(scope="module")
def grid():
    return read_grid(GRID)


def regions_of(regions, latitude, longitude):
    return [name for name, region in regions.items() if region.contains(Point(longitude, latitude))]


def nearest_km(grid, name):
    place = PLACES.loc[name]
    return great_circle_km(place["latitude"], place["longitude"], grid.latitude, grid.longitude).min()


def test_oregon_comes_first_and_both_are_valid_multipolygons(regions):
    assert list(regions) == ["US-OR", "US-WA"]
    assert all(region.is_valid and region.geom_type == "MultiPolygon" for region in regions.values())


def test_the_states_touch_and_do_not_overlap(regions):
    oregon, washington = regions.values()
    assert oregon.touches(washington)


@pytest.mark.parametrize("name", INSIDE)
def test_place_is_in_its_state_alone(regions, name):
    latitude, longitude, expected = INSIDE[name]
    assert regions_of(regions, latitude, longitude) == [expected]


@pytest.mark.parametrize("name", OUTSIDE)
def test_place_is_in_neither_state(regions, name):
    latitude, longitude = OUTSIDE[name]
    assert not any(region.covers(Point(longitude, latitude)) for region in regions.values())


def test_all_other_places_are_in_a_region_and_named_once(regions):
    places = zip(PLACES.index, PLACES["latitude"], PLACES["longitude"], strict=True)
    assert PLACES.index.is_unique
    assert [name for name, *place in places if len(regions_of(regions, *place)) != 1] == []


@pytest.mark.parametrize("name", PLACES.index[PLACES["answered"] == "no"])
def test_no_point_is_within_reach_of_a_place_without_forest(grid, name):
    assert nearest_km(grid, name) > SEARCH_RADIUS_KM


@pytest.mark.parametrize("name", PLACES.index[PLACES["answered"] == "yes"])
def test_a_point_is_within_reach_of_a_forest(grid, name):
    assert nearest_km(grid, name) < SEARCH_RADIUS_KM
