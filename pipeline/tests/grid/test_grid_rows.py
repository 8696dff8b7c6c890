"""The committed grid, every row of it."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import shapely

from pipeline.grid.arrow_file import RANGES, read_grid
from pipeline.grid.columns.consistency import violations
from pipeline.grid.columns.definitions import COLUMNS, NAMES
from pipeline.grid.data_files import GRID, REGIONS
from pipeline.grid.projection import great_circle_km
from pipeline.grid.regions import read_regions
from pipeline.outcomes.species import species_codes


@pytest.fixture(scope="module")
def table():
    with pa.ipc.open_file(GRID) as file:
        assert file.num_record_batches == 1
        return file.read_all()


@pytest.fixture(scope="module")
def grid():
    return read_grid(GRID)


@pytest.fixture(scope="module")
def frame(grid):
    places = {"latitude": grid.latitude, "longitude": grid.longitude, "region": grid.region}
    return pd.DataFrame(places | grid.columns)


@pytest.fixture(scope="module")
def regions():
    return read_regions(REGIONS)


def distances_km(frame, place):
    return great_circle_km(*place, frame["latitude"].to_numpy(), frame["longitude"].to_numpy())


def test_every_row_is_one_consistent_climate(frame):
    assert {rule: rows for rule, rows in violations(frame).items() if rows} == {}


def test_consistency_notices_each_kind_of_contradiction(frame):
    row = frame.iloc[:1]
    broken = {
        "dew_point": row["temperature_mean"] + 1,
        "temperature_max": row["temperature_mean"] - 1,
        "temperature_min_january": row["temperature_mean"] + 1,
        "vpd_min": row["vpd_max"] + 1,
        "vpd_max": row["vpd_max"] * 2,
        "precipitation_growing_season": row["precipitation_annual"] + 1,
        "soil_clay": row["soil_clay"] + 100,
        "canopy_cover": -row["canopy_cover"],
        "elevation": row["elevation"] * np.nan,
    }
    for column, value in broken.items():
        assert sum(violations(row.assign(**{column: value})).values()) > 0, column


def test_there_are_250000_to_450000_points_each_once_in_a_file_of_20_megabytes_at_most(frame):
    assert 250_000 <= len(frame) <= 450_000
    assert not frame.duplicated(["latitude", "longitude"]).any()
    assert GRID.stat().st_size <= 20_000_000


def test_fields_and_their_metadata_are_those_of_the_format(table):
    assert table.schema.names == ["row", "column", "region", *NAMES, RANGES]
    assert table.schema.metadata[b"format"] == b"nurselog-grid/2"
    assert json.loads(table.schema.metadata[b"regions"]) == ["US-OR", "US-WA"]
    for column in COLUMNS:
        field = table.schema.field(column.name)
        assert str(field.type) == column.stored
        assert table[column.name].null_count == 0
        metadata = {key.decode(): value.decode() for key, value in field.metadata.items()}
        assert metadata["unit"] == column.unit
        assert float(metadata["scale"]) == column.scale
        assert float(metadata["offset"]) == column.offset
        assert all(metadata[key] for key in ("description", "kind", "source", "method", "error"))


def test_every_point_lies_in_the_region_it_names(frame, regions):
    for index, region in enumerate(regions.values()):
        own = frame[frame["region"] == index]
        assert len(own) > 0
        assert shapely.contains_xy(region, own["longitude"], own["latitude"]).all()


def test_the_site_of_the_published_sample_has_a_point_within_half_the_diagonal_of_a_cell(frame):
    assert distances_km(frame, (44.12, -122.03)).min() < 0.57


def test_north_slopes_have_a_lower_heat_load_than_south_slopes_of_the_same_steepness(frame):
    steep = frame[frame["slope"].between(15, 20)]
    north, south = (steep[side * steep["northness"] > 0.9]["heat_load"] for side in (1, -1))
    assert north.quantile(0.95) < south.quantile(0.05)


def test_native_ranges_are_those_that_foresters_know(grid):
    def at(place):
        point = grid.nearest(*place)
        return {code for index, code in enumerate(species_codes()) if grid.in_range(index)[point]}

    assert {"PSME", "TSHE", "ABAM"} <= at((44.12, -122.03))
    assert {"PISI", "TSHE"} <= at((46.10, -123.70))
    assert "PISI" not in at((44.40, -120.35))
    assert {"PIPO", "JUOC"} <= at((44.40, -120.35))


def test_temperature_falls_with_elevation_at_most_points(grid):
    for name in ("lapse_temperature_mean", "lapse_temperature_max", "lapse_vpd_max"):
        assert (grid.columns[name] < 0).mean() > 0.9


def test_columns_rank_known_places_as_their_climates_do(frame):
    def at(place, column):
        return frame[column].iloc[int(distances_km(frame, place).argmin())]

    hoh, ochocos, rogue, okanogan = (47.86, -123.93), (44.40, -120.35), (42.30, -123.30), (48.70, -118.95)
    assert at(hoh, "precipitation_annual") > 2500 > 800 > at(ochocos, "precipitation_annual")
    assert at(rogue, "vpd_max") > at(okanogan, "vpd_max") > at(hoh, "vpd_max")
    assert at(hoh, "temperature_min_january") > at(okanogan, "temperature_min_january") + 4
    assert at(rogue, "climatic_water_deficit") > at(hoh, "climatic_water_deficit") + 200
    assert at(hoh, "dew_point") > at(ochocos, "dew_point") + 4
