"""`nurselog predict` with a raster."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import rasterio
from command_process import run, run_here
from faulty_proxy import FaultyProxy
from rasters import HEIGHT, UTM, WIDTH, write_dem
from service_process import ServiceProcess, copy_of_models, raise_version

from nurselog import Client

# Of affine 3, for which rasterio and rioxarray have yet to change.
pytestmark = pytest.mark.filterwarnings("ignore:Use `@` matmul:PendingDeprecationWarning")


def test_the_command_predicts_a_raster_at_the_elevations_of_its_cells(service: ServiceProcess, tmp_path: Path) -> None:
    dem, output = write_dem(tmp_path / "dem.tif"), tmp_path / "survival.tif"
    result = run(service, "predict", str(dem), "--species", "PSME", "-o", str(output))
    assert (result.returncode, f"{WIDTH * HEIGHT - 15:,} cells: " in result.stderr) == (0, True), result.stderr
    assert "no_nearby_data" in result.stderr
    with Client(service.url, service.key) as client:
        wanted = client.predict_raster(dem, "PSME", elevation_m=dem)
    with rasterio.open(output) as file:
        np.testing.assert_array_equal(file.read(), wanted.values)


def test_the_command_and_its_file_say_that_the_models_changed_during_the_run(tmp_path: Path) -> None:
    models = copy_of_models(tmp_path / "models")
    arguments = ["predict", str(write_dem(tmp_path / "dem.tif")), "--species", "PSME", "-o", str(tmp_path / "out.tif")]
    with ServiceProcess(models) as service, FaultyProxy(service.url) as proxy:

        def restart() -> None:
            service.kill()
            service.start()

        former, version = raise_version(models)
        proxy.before(3, restart)  # after the requests for the models and the first of two windows
        result = run_here(service, *arguments, NURSELOG_URL=proxy.url)
    assert result.exit_code == 0
    with rasterio.open(tmp_path / "out.tif") as file:
        tags, cells = file.tags(), WIDTH * HEIGHT - 15
    changed = json.loads(tags["models"])
    assert [model["version"] for model in changed] == [former, version]
    assert sum(model["cells"] for model in changed) == cells
    assert not {"model_version", "model_digest"} & tags.keys()
    listed = ", ".join(f"{model['version']} ({model['cells']:,} cells)" for model in changed)
    assert f"The models changed before all cells were answered: {listed}. Start anew" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-o", "out.tif"], 2, "--species PSME"),
        (["-o", "out.csv", "--species", "PSME"], 2, "out.csv cannot be written: its name must end with .tif"),
        (["-o", "out.tif", "--species", "PSME", "--resume"], 2, "cannot be resumed"),
        (["-o", "out.tif", "--species", "PSME", "--crs", UTM], 2, "--crs is for tables, and not for a raster: state"),
        (["-o", "out.tif", "--species", "PSME", "--latitude", "y"], 2, "--latitude is for tables, and not for"),
        (["-o", "out.tif", "--species", "PSME", "--overstory-cover", "cover"], 2, "--overstory-cover must be a number"),
        (["-o", "out.tif", "--species", "PSME", "--elevation-m", "other.tif"], 2, "other.tif cannot be read"),
        (["-o", "dem.tif", "--species", "PSME"], 2, "cannot be written: the values of dem.tif are read from it"),
        (["-o", "out.tif", "--species", "PSMF"], 1, "Did you mean PSME"),
        (["-o", "out.tif", "--species", "PSME", "--elevation-m", "4000"], 4, "elevation_mismatch"),
        (["-o", "out.tif", "--species", "PSME", "--elevation-m", "far.tif"], 4, "No cell has data both"),
        (["-o", "out.tif", "--species", "PSME", "--elevation-m", "none", "--method", "manual"], 0, "answered"),
    ],
)
def test_the_command_with_a_raster_ends_with_a_message_and_an_exit_code(
    service: ServiceProcess,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_dem(tmp_path / "dem.tif")
    with rasterio.open(write_dem(tmp_path / "far.tif"), "r+") as far:
        far.crs = "EPSG:26911"  # the next zone
    result = run_here(service, "predict", "dem.tif", *arguments)
    assert (result.exit_code, message in result.stderr) == (code, True), result.stderr
    assert (tmp_path / "out.tif").exists() == (code in (0, 4))
