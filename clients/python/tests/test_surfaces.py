"""Surfaces as tables and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray
from service_process import ServiceProcess

from nurselog.surfaces import to_dataframe, to_geodataframe, to_xarray

# Farmland lies in the west of it, so that some cells have no point.
BBOX = (-122.4, 44.0, -122.0, 44.3)
BANDS = [f"{method}_{horizon}" for method in ("manual", "drone_seeded") for horizon in (1, 3, 5)]


@pytest.fixture
def answer(service: ServiceProcess) -> Any:
    return service.ask(f"/v1/surfaces/PSME?bbox={','.join(map(str, BBOX))}")


def test_a_table_has_a_row_for_each_point(answer: Any) -> None:
    table, located = to_dataframe(answer), to_geodataframe(answer)
    assert list(table) == ["longitude", "latitude", "elevation_m", "region", "in_native_range", *BANDS]
    assert table["drone_seeded_5"].tolist() == answer["survival"]["drone_seeded"]["5"]
    assert located.crs == "EPSG:4326"
    assert located.geometry.x.tolist() == answer["longitude"]
    assert located["manual_1"].tolist() == table["manual_1"].tolist()


@pytest.mark.parametrize(
    "query", [f"bbox={','.join(map(str, BBOX))}", "max_points=3000", "bbox=-122.03,44.12,-122.025,44.3"]
)
def test_an_array_has_each_point_in_its_cell_and_nan_elsewhere(service: ServiceProcess, query: str) -> None:
    answer = service.ask(f"/v1/surfaces/PSME?{query}")
    array = to_xarray(answer)
    assert (list(array.band.values), array.rio.crs) == (BANDS, "EPSG:4326")
    assert (np.diff(array.y) < 0).all()
    assert np.isfinite(array.sel(band="manual_1")).sum() == answer["points"]
    x, y = (xarray.DataArray(answer[degrees], dims="point") for degrees in ("longitude", "latitude"))
    at_points = array.sel(x=x, y=y, method="nearest", tolerance=2e-5)
    for band in BANDS:
        method, _, horizon = band.rpartition("_")
        survival = np.float32(answer["survival"][method][horizon])
        np.testing.assert_array_equal(at_points.sel(band=band), survival)
