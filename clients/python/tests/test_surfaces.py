"""Surfaces as tables, arrays and files."""

from __future__ import annotations

import json
from pathlib import Path

import geopandas
import httpx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import rasterio
import xarray
from command_process import run, run_here
from pandas.testing import assert_frame_equal
from rio_cogeo.cogeo import cog_validate
from service_process import ServiceProcess

from nurselog import Client, errors
from nurselog._calls.surfaces import SurfaceFormat, surface_file
from nurselog.surfaces import to_dataframe, to_geodataframe, to_xarray
from nurselog.types import Surface

# Farmland lies in the west of it, so that some cells have no point.
BBOX = (-122.4, 44.0, -122.0, 44.3)
BANDS = [f"{method}_{horizon}" for method in ("manual", "drone_seeded") for horizon in (1, 3, 5)]


@pytest.fixture
def answer(service: ServiceProcess) -> Surface:
    with Client(service.url, service.key) as client:
        return client.surface("PSME", bbox=BBOX)


def test_a_table_has_a_row_for_each_point(answer: Surface) -> None:
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


def test_the_command_writes_a_cloud_optimised_geotiff(service: ServiceProcess, tmp_path: Path, answer: Surface) -> None:
    output = tmp_path / "psme.tif"
    result = run(service, "surface", "PSME", "-o", str(output), "--bbox", ",".join(map(str, BBOX)))
    assert result.returncode == 0, result.stderr
    assert cog_validate(output)[0]
    array = to_xarray(answer)
    with rasterio.open(output) as file:
        assert list(file.descriptions) == BANDS
        values = file.read()
    assert np.isfinite(values).sum() == 6 * answer["points"]
    np.testing.assert_array_equal(values[np.isfinite(values)], array.values[np.isfinite(array.values)])


def test_the_command_writes_the_other_formats_by_the_suffix_of_the_file(
    service: ServiceProcess, tmp_path: Path, answer: Surface
) -> None:
    arguments = ["surface", "PSME", "--bbox", ",".join(map(str, BBOX)), "-o"]
    for name in ("psme.csv", "psme.geojson", "psme.arrow", "psme.json"):
        assert run_here(service, *arguments, str(tmp_path / name)).exit_code == 0
    expected = to_dataframe(answer)
    assert json.loads((tmp_path / "psme.json").read_text()) == answer
    located = geopandas.read_file(tmp_path / "psme.geojson")
    assert located.geometry.x.tolist() == answer["longitude"]
    table = pa.ipc.open_file(tmp_path / "psme.arrow").read_all()
    plain = pd.read_csv(tmp_path / "psme.csv")
    assert table.num_rows == len(plain) == len(expected)
    assert plain["latitude"].tolist() == expected["latitude"].tolist()
    commas = tmp_path / "commas.csv"
    assert run_here(service, *arguments, str(commas), "--decimal", ",").exit_code == 0
    assert_frame_equal(pd.read_csv(commas, sep=";", decimal=","), plain)


@pytest.mark.parametrize("format", ["tif", "csv", "geojson", "arrow", "json"])
def test_a_page_of_another_server_is_an_error(format: SurfaceFormat) -> None:
    with pytest.raises(errors.UnexpectedResponseError, match="Its type is 'text/html', not "):
        surface_file("PSME", format).read(httpx.Response(200, html="<h1>Welcome</h1>"))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["PSME", "-o", "psme.png"], 2, "psme.png cannot be written: its name must end with .tif"),
        (["PSME", "-o", "none/psme.tif"], 2, "there is no folder none"),
        (["PSME", "-o", "psme.csv", "--bbox", "44,45"], 2, "--bbox must be west,south,east,north"),
        (["PSMF", "-o", "psme.csv"], 1, "Did you mean PSME"),
        (["PSME", "-o", "psme.csv", "--include", "intervals"], 1, "tif"),
    ],
)
def test_failures_of_the_command_have_a_message_and_write_nothing(
    service: ServiceProcess,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run_here(service, "surface", *arguments)
    assert (result.exit_code, message in result.stderr) == (code, True), result.stderr
    assert list(tmp_path.iterdir()) == []
