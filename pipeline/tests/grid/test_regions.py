"""The committed coverage: what it takes in and what it leaves to the neighbours."""

import json

import pytest
from shapely import Point
from shapely.geometry import shape

from pipeline.sources.manifest import PROJECT

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
    collection = json.loads((PROJECT / "data" / "regions.geojson").read_text(encoding="utf-8"))
    return {f["properties"]["region"]: shape(f["geometry"]) for f in collection["features"]}


def test_oregon_comes_first_and_both_are_valid_multipolygons(regions):
    assert list(regions) == ["US-OR", "US-WA"]
    assert all(r.is_valid and r.geom_type == "MultiPolygon" for r in regions.values())


def test_the_states_touch_and_do_not_overlap(regions):
    oregon, washington = regions.values()
    assert oregon.touches(washington)


@pytest.mark.parametrize("name", INSIDE)
def test_place_is_in_its_state_alone(regions, name):
    latitude, longitude, expected = INSIDE[name]
    assert [key for key, region in regions.items() if region.contains(Point(longitude, latitude))] == [expected]


@pytest.mark.parametrize("name", OUTSIDE)
def test_place_is_in_neither_state(regions, name):
    latitude, longitude = OUTSIDE[name]
    assert not any(region.covers(Point(longitude, latitude)) for region in regions.values())
