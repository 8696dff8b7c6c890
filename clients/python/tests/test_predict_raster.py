"""Rasters: cells in, bands out, by both clients."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import rioxarray
import xarray
from caller import Caller
from rasterio.env import hasenv
from rasterio.shutil import copy
from rasterio.vrt import WarpedVRT
from rasters import UTM, expected, read, write_dem
from rio_cogeo.cogeo import cog_validate
from service_process import ServiceProcess

from nurselog import AsyncClient, Client, errors
from nurselog._raster.reading import check_elevations

PLAIN: dict[str, Any] = {"horizons": [5], "planting_method": "manual"}
# Of affine 3, for which rasterio and rioxarray have yet to change.
pytestmark = pytest.mark.filterwarnings("ignore:Use `@` matmul:PendingDeprecationWarning")
HEIGHTS_IN_FEET = "EPSG:26910+6360"
NOBODY = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("kind", "crs"), [("path", UTM), ("dataset", "EPSG:5070"), ("array", "EPSG:4326"), ("array with its band", UTM)]
)
def test_each_cell_has_the_answer_of_its_centre_at_its_elevation(
    call: Caller, service: ServiceProcess, tmp_path: Path, kind: str, crs: str
) -> None:
    path = write_dem(tmp_path / "dem.tif", crs)
    done: list[tuple[int, int]] = []
    with ExitStack() as opened:
        dem: Any = path
        if kind == "dataset":
            dem = opened.enter_context(rasterio.open(path))
        elif kind != "path":
            dem = opened.enter_context(rioxarray.open_rasterio(path, masked=True))
            dem = dem.squeeze("band", drop=True) if kind == "array" else dem  # the other keeps the strips of its file
        bands = call(
            "predict_raster", dem, "PSME", **PLAIN, elevation_m=dem, progress=lambda *cells: done.append(cells)
        )
    wanted = expected(service, path, read(path), planting_method="manual", horizons=[5])
    assert np.isnan(wanted).sum() > 15  # of the corner, and cells without data nearby
    assert np.isfinite(wanted).sum() > 1000
    np.testing.assert_array_equal(bands.sel(band="manual_5"), wanted)
    with rioxarray.open_rasterio(path) as template:
        assert bands.rio.crs == template.rio.crs
        np.testing.assert_allclose(bands.x, template.x)
        np.testing.assert_allclose(bands.y, template.y)
    cells = wanted.size
    assert done == sorted(done)
    assert done[-1] == (cells, cells)
    assert {total for _, total in done} == {cells}


def test_elevations_of_other_cells_are_interpolated(service: ServiceProcess, tmp_path: Path) -> None:
    template = write_dem(tmp_path / "template.tif")
    fine = write_dem(tmp_path / "fine.tif", "EPSG:4326", scale=0.25)
    with rasterio.open(fine, "r+") as file:  # as a band that states a scale
        values = file.read(1)
        file.write(np.where(values == file.nodata, values, (values - 100) / 0.1), 1)
        file.scales, file.offsets = [0.1], [100]
    with Client(service.url, service.key) as client:
        bands = client.predict_raster(template, "PSME", **PLAIN, elevation_m=fine)
        plain = client.predict_raster(template, "PSME", **PLAIN)
    wanted = expected(service, template, read(template), planting_method="manual", horizons=[5])
    inside = np.isfinite(bands.values[0]) & np.isfinite(wanted)
    assert inside.sum() > 0.9 * np.isfinite(wanted).sum()  # without the outermost cells
    np.testing.assert_allclose(bands.values[0][inside], wanted[inside], atol=2e-4)
    assert np.abs(plain.values[0] - wanted)[inside].max() > 0.01


def test_a_number_of_numpy_is_the_elevation_of_all_cells(service: ServiceProcess, tmp_path: Path) -> None:
    path = write_dem(tmp_path / "dem.tif")
    with Client(service.url, service.key) as client:
        bands, wanted = (client.predict_raster(path, "PSME", **PLAIN, elevation_m=m) for m in (np.float32(700), 700))
    assert np.isfinite(bands.values).any()
    np.testing.assert_array_equal(bands.values, wanted.values)


def test_without_elevations_cells_without_data_are_left_out(service: ServiceProcess, tmp_path: Path) -> None:
    path = write_dem(tmp_path / "dem.tif")
    with Client(service.url, service.key) as client:
        bands = client.predict_raster(path, "PSME", **PLAIN, warming_c=2, overstory_cover=30)
    options: dict[str, Any] = {"planting_method": "manual", "horizons": [5], "warming_c": 2, "overstory_cover": 30}
    wanted = expected(service, path, None, **options)
    assert np.isfinite(wanted[:3, :5]).any()
    wanted[:3, :5] = np.nan
    np.testing.assert_array_equal(bands.values[0], wanted)


def test_a_file_is_a_cloud_optimised_geotiff_with_a_named_band_for_each_answer(
    call: Caller, service: ServiceProcess, tmp_path: Path
) -> None:
    path = write_dem(tmp_path / "dem.tif")
    output = tmp_path / "survival.tif"
    options: dict[str, Any] = {"elevation_m": path, "horizons": [1, 5], "include": ["intervals"]}
    whole = call("predict_raster", path, "PSME", **options)
    lazy = call("predict_raster", path, "PSME", **options, output=output)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["dem.tif", "survival.tif"]
    assert cog_validate(output) == (True, [], [])
    with rasterio.open(output) as file, rasterio.open(path) as template:
        assert (file.crs, file.transform, file.shape) == (template.crs, template.transform, template.shape)
        assert file.dtypes == 12 * ("float32",)
        assert file.descriptions[:6] == (
            "manual_1",
            "manual_5",
            "drone_seeded_1",
            "drone_seeded_5",
            "low_manual_1",
            "high_manual_1",
        )
        values, names, tags = file.read(), file.descriptions, file.tags()
    np.testing.assert_array_equal(values, whole.values)
    np.testing.assert_array_equal(lazy.values, whole.values)
    assert list(lazy.band.values) == list(whole.band.values) == list(names)
    of = dict(zip(names, values, strict=True))
    has_answer = np.isfinite(of["manual_5"])
    for name in ("manual_1", "manual_5", "drone_seeded_1", "drone_seeded_5"):
        assert (of[f"low_{name}"] <= of[name])[has_answer].all()
        assert (of[name] <= of[f"high_{name}"])[has_answer].all()
    model = service.ask("/v1/model")
    assert {tags[name] for name in ("model_digest", "outcomes", "caution")} == {
        model[name] for name in ("digest", "outcomes", "caution")
    }
    assert (tags["species_code"], tags["include"], int(tags["cells_answered"])) == (
        "PSME",
        "intervals",
        has_answer.sum(),
    )
    failed = sum(of_code["cells"] for of_code in json.loads(tags["cells_failed"]).values())
    assert int(tags["cells_answered"]) + failed == values[0].size - 15


def test_a_key_of_a_small_tier_predicts_a_raster_in_more_requests(service: ServiceProcess, tmp_path: Path) -> None:
    path = write_dem(tmp_path / "dem.tif")
    with Client(service.url, service.issue("mycel")) as small, Client(service.url, service.key) as large:
        np.testing.assert_array_equal(
            small.predict_raster(path, "PSME", **PLAIN).values, large.predict_raster(path, "PSME", **PLAIN).values
        )


def _without_crs(path: Path) -> Path:
    write_dem(path)
    with rasterio.open(path) as file:
        profile, values = file.profile, file.read()
    with rasterio.open(path, "w", **{**profile, "crs": None}) as file:
        file.write(values)
    return path


def _in_feet(path: Path, unit: str = "US survey foot") -> Path:
    write_dem(path)
    with rasterio.open(path, "r+") as file:
        file.units = [unit]
    return path


def _mosaic_in_feet(path: Path) -> Path:
    mosaic = path.with_name("mosaic.vrt")
    copy(write_dem(path, HEIGHTS_IN_FEET), mosaic, driver="VRT")
    # gdalbuildvrt leaves the unit to the reference system.
    mosaic.write_text(re.sub("<UnitType>.*</UnitType>", "", mosaic.read_text()))
    return mosaic


def _array_in_feet(path: Path) -> xarray.DataArray:
    with rioxarray.open_rasterio(_in_feet(path)) as dem:
        array: xarray.DataArray = dem.load()
    return array


def _array_with_heights_in_feet(path: Path) -> xarray.DataArray:
    array = _array_in_feet(path).rio.write_crs(HEIGHTS_IN_FEET)
    del array.attrs["units"]
    return array


def _scaled(path: Path) -> Path:
    """Elevations as tenths of metres."""
    with rasterio.open(write_dem(path)) as file:
        profile, values = file.profile, file.read()
    with rasterio.open(path, "w", **{**profile, "dtype": "int16"}) as file:
        file.write(np.where(values == file.nodata, values, values * 10).astype("int16"))
        file.scales = [0.1]
    return path


def _scaled_by_hand(path: Path) -> xarray.DataArray:
    with rioxarray.open_rasterio(_scaled(path), masked=True) as dem, xarray.set_options(keep_attrs=True):
        array: xarray.DataArray = dem.load() * 0.1
    return array


def _array(_: Path, y: tuple[float, ...] = (1.0, 0.0), x: tuple[float, ...] = (0.0, 1.0)) -> xarray.DataArray:
    return xarray.DataArray(np.zeros((len(y), len(x))), dims=("y", "x"), coords={"y": list(y), "x": list(x)})


def _with_gap(path: Path) -> xarray.DataArray:
    with rioxarray.open_rasterio(write_dem(path)) as dem:
        array: xarray.DataArray = dem.squeeze("band").load()
    return array.where((array.x < array.x[50]) | (array.x > array.x[100]), drop=True)


@pytest.mark.parametrize(
    ("raster", "options", "message"),
    [
        (lambda path: path, {}, "dem.tif cannot be read as a raster"),
        (_without_crs, {}, "dem.tif has no coordinate reference system"),
        (_array, {}, r"The DataArray has no coordinate reference system: .*rio\.write_crs"),
        (_with_gap, {}, r"its 'x' is not evenly spaced.*without drop=True"),
        (lambda path: _array(path, y=(44.1,)).rio.write_crs(4326), {}, r"a single row .*rio\.write_transform"),
        (_in_feet, {}, "dem.tif are in 'US survey foot': give them in metres"),
        (_mosaic_in_feet, {}, "mosaic.vrt are in 'US survey foot': give them in metres"),
        (_array_in_feet, {}, r"The DataArray are in 'US survey foot': give them in metres.* attrs\[.units.\] = .m."),
        (_array_with_heights_in_feet, {}, "The DataArray are in 'US survey foot': give them in metres"),
        (_scaled_by_hand, {}, "may be scaled already.*open its file with mask_and_scale=True, or delete"),
        (write_dem, {"output": "survival.png"}, r"survival\.png cannot be written: its name must end with \.tif"),
        (write_dem, {"output": "none/survival.tif"}, "there is no folder none"),
    ],
)
def test_rasters_that_cannot_be_used_are_refused_before_anything_is_sent(
    call: Caller, tmp_path: Path, raster: Any, options: dict[str, Any], message: str
) -> None:
    given = raster(tmp_path / "dem.tif")
    with pytest.raises(errors.InvalidRequestError, match=message):
        call("predict_raster", given, "PSME", elevation_m=given, **options, url=NOBODY)


@pytest.mark.parametrize(
    "unit",
    ["ft", "ftUS", "us-ft", "ftUSSurvey", "USSurveyFoot", "Foot_US", "[ft_i]", "International feet", "mean height, ft"],
)
def test_elevations_in_feet_of_any_name_are_refused(call: Caller, tmp_path: Path, unit: str) -> None:
    dem = _in_feet(tmp_path / "dem.tif", unit)
    with pytest.raises(errors.InvalidRequestError, match=f"are in {re.escape(repr(unit))}: give them in metres"):
        call("predict_raster", dem, "PSME", elevation_m=dem, url=NOBODY)


@pytest.mark.parametrize(
    "unit", ["m", "[m]", "Metres", "m above sea level; from ft data", "shift", "lift", "footprint"]
)
def test_units_that_are_not_feet_are_not_taken_for_them(tmp_path: Path, unit: str) -> None:
    with rasterio.open(_in_feet(tmp_path / "dem.tif", unit)) as dem:
        assert dem.units == (unit,)
        check_elevations(tmp_path / "dem.tif", dem)


def test_a_statement_about_the_values_of_an_array_is_followed(service: ServiceProcess, tmp_path: Path) -> None:
    in_metres = _array_in_feet(tmp_path / "metres.tif").rio.write_crs(HEIGHTS_IN_FEET)
    in_metres.attrs["units"] = "m"
    path = _scaled(tmp_path / "dem.tif")
    arrays = [in_metres, *(rioxarray.open_rasterio(path, mask_and_scale=decoded) for decoded in (False, True))]
    with Client(service.url, service.key) as client:
        whole = client.predict_raster(path, "PSME", **PLAIN, elevation_m=path).values
        for dem in arrays:
            bands = client.predict_raster(dem, "PSME", **PLAIN, elevation_m=dem)
            np.testing.assert_allclose(bands.values, whole, atol=2e-4)  # elevations were rounded to 0.1 m


@pytest.mark.parametrize(("dtype", "opaque"), [("uint8", 255), ("int16", 32767), ("float32", 255)])
def test_cells_that_are_transparent_have_no_data(
    service: ServiceProcess, tmp_path: Path, dtype: str, opaque: int
) -> None:
    path = tmp_path / "dem.tif"
    with rasterio.open(write_dem(path)) as file:
        profile, values = {**file.profile, "dtype": dtype, "count": 2, "nodata": None}, file.read(1)
    alpha = np.full(values.shape, opaque)
    alpha[:, :100] = 0
    with rasterio.open(path, "w", **profile, alpha="yes") as file:
        file.write(np.array([np.where(alpha == 0, 0, 200), alpha]).astype(dtype))
    with Client(service.url, service.key) as client:
        predicted = client.predict_raster(path, "PSME", **PLAIN).values[0]
    assert np.isnan(predicted[:, :100]).all()
    assert np.isfinite(predicted[:, 100:]).any()


def test_even_parts_of_an_array_are_predicted_where_they_are(service: ServiceProcess, tmp_path: Path) -> None:
    path = write_dem(tmp_path / "dem.tif")
    with Client(service.url, service.key) as client, rioxarray.open_rasterio(path, masked=True) as dem:
        whole = client.predict_raster(dem, "PSME", **PLAIN, elevation_m=dem).values
        for part in (np.s_[4:9, 10:14], np.s_[7:8, 10:14], np.s_[7:8, 12:13], np.s_[9:4:-1, 10:14:2]):
            cells = dem[0][part]
            bands = client.predict_raster(cells, "PSME", **PLAIN, elevation_m=cells)
            np.testing.assert_array_equal(bands.values[0], whole[0][part])


@pytest.mark.parametrize("output", [None, "survival.tif"])
@pytest.mark.parametrize("names", [("y", "x"), ("latitude", "longitude"), ("lat", "lon")])
def test_the_answer_to_an_array_aligns_with_it(
    service: ServiceProcess, tmp_path: Path, names: tuple[str, str], output: str | None
) -> None:
    # Coordinates of a grid whose step no double has, as those of a NetCDF file.
    latitude, longitude = 44.2 - np.arange(30) / 900, -122.3 + np.arange(20) / 900
    dem = xarray.DataArray(np.full((30, 20), 700.0), coords=dict(zip(names, (latitude, longitude), strict=True)))
    dem = dem.rio.set_spatial_dims(*reversed(names)).rio.write_crs(4326)
    with Client(service.url, service.key) as client:
        bands = client.predict_raster(dem, "PSME", **PLAIN, output=output and tmp_path / output)
    np.testing.assert_allclose(bands.rio.bounds(), dem.rio.bounds())
    assert (bands + dem).shape == (1, 30, 20)
    assert bands.rio.crs == dem.rio.crs
    assert np.isfinite((bands + dem).values).sum() == int(bands.attrs["cells_answered"]) > 0


@pytest.mark.parametrize("kind", ["path", "link", "dataset", "warped", "array"])
@pytest.mark.parametrize("role", ["template", "elevation_m"])
def test_an_output_that_is_one_of_the_sources_is_refused_before_anything_is_sent(
    call: Caller, tmp_path: Path, kind: str, role: str
) -> None:
    path, other = write_dem(tmp_path / "dem.tif"), write_dem(tmp_path / "other.tif")
    before = path.read_bytes()
    with ExitStack() as opened:
        dem: Any = path
        if kind == "link":
            dem = tmp_path / "link.tif"
            dem.symlink_to(path)
        elif kind == "dataset":
            dem = opened.enter_context(rasterio.open(path))
        elif kind == "warped":
            dem = opened.enter_context(WarpedVRT(opened.enter_context(rasterio.open(path)), crs="EPSG:4326"))
        elif kind == "array":
            dem = opened.enter_context(rioxarray.open_rasterio(path, masked=True)).squeeze("band", drop=True)
        template, elevation = (dem, other) if role == "template" else (other, dem)
        with pytest.raises(errors.InvalidRequestError, match=r"/dem\.tif cannot be written: .* are read from it"):
            call("predict_raster", template, "PSME", elevation_m=elevation, output=path, url=NOBODY)
    assert path.read_bytes() == before


def test_an_output_that_is_another_file_is_replaced(service: ServiceProcess, tmp_path: Path) -> None:
    path, output = write_dem(tmp_path / "dem.tif"), write_dem(tmp_path / "survival.tif")
    with Client(service.url, service.key) as client:
        bands = client.predict_raster(path, "PSME", **PLAIN, elevation_m=path, output=output)
    assert list(bands.band.values) == ["manual_5"]


@pytest.mark.parametrize("to_file", [False, True])
def test_rasters_may_be_predicted_at_once(service: ServiceProcess, tmp_path: Path, to_file: bool) -> None:
    sources = [write_dem(tmp_path / f"{scale}.tif", scale=scale) for scale in (4.0, 1.0, 0.25)]  # the first ends first
    outputs = [tmp_path / f"survival_{source.name}" if to_file else None for source in sources]

    async def at_once() -> list[Any]:
        async with AsyncClient(service.url, service.key) as client:
            return await asyncio.gather(
                *(
                    client.predict_raster(source, "PSME", **PLAIN, elevation_m=source, output=output)
                    for source, output in zip(sources, outputs, strict=True)
                )
            )

    together = asyncio.run(at_once())
    assert not hasenv()
    with Client(service.url, service.key) as client:
        for source, bands in zip(sources, together, strict=True):
            alone = client.predict_raster(source, "PSME", **PLAIN, elevation_m=source)
            np.testing.assert_array_equal(bands.values, alone.values)


def test_other_mistakes_are_errors_and_leave_no_file(call: Caller, tmp_path: Path) -> None:
    path = write_dem(tmp_path / "dem.tif")
    output = tmp_path / "survival.tif"
    with pytest.raises(errors.InvalidSpeciesError, match="PSME"):
        call("predict_raster", path, "PSMF", output=output)
    with pytest.raises(errors.InvalidMethodError):
        call("predict_raster", path, "PSME", "by hand", output=output)
    with pytest.raises(errors.InvalidRequestError, match="overstory_cover"):
        call("predict_raster", path, "PSME", overstory_cover=101, output=output)
    with pytest.raises(TypeError, match=r"not numpy\.ndarray"):
        call("predict_raster", np.zeros((2, 2)), "PSME")
    with pytest.raises(ValueError, match="concurrency"):
        call("predict_raster", path, "PSME", concurrency=0)
    assert [file.name for file in tmp_path.iterdir()] == ["dem.tif"]
