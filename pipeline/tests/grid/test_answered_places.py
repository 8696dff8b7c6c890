"""Places that everybody knows, and whether the committed grid has a point within reach of them.

``places.csv`` is written from general knowledge of the two states, not from what the grid has.
"""

from pathlib import Path

import pandas as pd
import pytest
import shapely

from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import GRID, REGIONS
from pipeline.grid.points import SEARCH_RADIUS_KM
from pipeline.grid.projection import great_circle_km
from pipeline.grid.regions import read_regions

PLACES = pd.read_csv(Path(__file__).with_name("places.csv"), index_col="name")


@pytest.fixture(scope="module")
def grid():
    return read_grid(GRID)


def coordinates(name):
    return PLACES.loc[name, "latitude"], PLACES.loc[name, "longitude"]


def test_all_places_are_in_a_region_and_named_once():
    shapes = read_regions(REGIONS).values()
    inside = [shapely.contains_xy(shape, PLACES["longitude"], PLACES["latitude"]) for shape in shapes]
    assert PLACES.index.is_unique
    assert list(PLACES.index[~(inside[0] | inside[1])]) == []


@pytest.mark.parametrize("name", PLACES.index[PLACES["answered"] == "no"])
def test_no_point_is_within_reach_of_a_place_without_forest(grid, name):
    assert great_circle_km(*coordinates(name), grid.latitude, grid.longitude).min() > SEARCH_RADIUS_KM


@pytest.mark.parametrize("name", PLACES.index[PLACES["answered"] == "yes"])
def test_a_point_is_within_reach_of_a_forest(grid, name):
    assert great_circle_km(*coordinates(name), grid.latitude, grid.longitude).min() < SEARCH_RADIUS_KM
