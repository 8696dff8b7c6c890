"""`nurselog predict`: the formats of files, and which columns they keep."""

from __future__ import annotations

import json
import math
import sqlite3
import struct
from contextlib import closing
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID
from zipfile import ZipFile

import geopandas
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyogrio
import pytest
from command_process import Predict, run, run_here
from frames import table
from pandas.testing import assert_frame_equal
from service_process import ROOT, ServiceProcess
from shapely.geometry import Point, box
from site_files import PLANTED, texts, write_sites

from nurselog import Client, errors
from nurselog._files.column_types import with_types_of_gdal
from nurselog._files.formats import pandas_types
from nurselog._files.reading import open_source

STANDS = ROOT / "data/samples/stands.gpkg"
COSTS = pd.ArrowDtype(pa.map_(pa.string(), pa.int64()))


def test_a_geopackage_comes_back_in_its_reference_system_with_its_columns(predict: Predict, tmp_path: Path) -> None:
    assert predict(STANDS, "out.gpkg").exit_code == 0
    given, answered = geopandas.read_file(STANDS), geopandas.read_file(tmp_path / "out.gpkg")
    assert answered.crs == given.crs == "EPSG:26910"
    assert_frame_equal(pd.DataFrame(answered[given.columns]), pd.DataFrame(given))
    assert answered["survival_5"].between(0, 1).all()
    assert (answered["survival_5"] == answered["survival_5"].round(4)).all()


@pytest.mark.parametrize("command", [["predict", "--method", "manual"], ["plan"]])
def test_of_several_layers_one_must_be_named_and_tables_without_geometries_are_no_layers(
    service: ServiceProcess, tmp_path: Path, recwarn: pytest.WarningsRecorder, command: list[str]
) -> None:
    path, output = tmp_path / "a.gpkg", tmp_path / "out.csv"
    geopandas.read_file(STANDS)[["stand", "planned_year", "geometry"]].to_file(path, layer="stands")
    pyogrio.write_dataframe(pd.DataFrame({"styleName": ["by year"]}), path, layer="layer_styles")
    arguments = [*command, str(path), "-o", str(output), "--species", "PSME"]
    assert run_here(service, *arguments).exit_code == 0
    assert "planned_year" in pd.read_csv(output)
    geopandas.read_file(STANDS)[["geometry"]].to_file(path, layer="roads")
    result = run_here(service, *arguments)
    assert result.exit_code == 2
    assert "a.gpkg cannot be read: it has the layers stands, roads: name one, such as --layer stands." in result.stderr
    assert run_here(service, *arguments, "--layer", "roads").exit_code == 0
    assert "planned_year" not in pd.read_csv(output)
    assert not [each for each in recwarn if "layer" in str(each.message)]


@pytest.mark.parametrize(
    "source", ["a.csv", "a.parquet", "a.gpkg", "a.geojson", "a.shp", "a.shp.zip", "geographic.parquet"]
)
@pytest.mark.parametrize("output", ["out.csv", "out.parquet", "out.gpkg", "out.geojson"])
def test_every_format_becomes_every_other(predict: Predict, tmp_path: Path, source: str, output: str) -> None:
    sites = table(5).reset_index(drop=True).drop(columns=["seen", "species_code", "planting_method"])
    points = geopandas.points_from_xy(sites["longitude"], sites["latitude"])
    located = geopandas.GeoDataFrame(sites[["plot"]], geometry=points, crs="EPSG:4326")
    if source == "a.csv":
        sites.to_csv(tmp_path / source, index=False)
    elif source == "a.parquet":
        sites.to_parquet(tmp_path / source)
    elif source == "geographic.parquet":
        located.to_parquet(tmp_path / source)
    else:
        located.to_file(tmp_path / source)
    assert "5 rows: 5 answered, 0 failed" in predict(source, output, *PLANTED).stderr
    answered = _read(tmp_path / output)
    assert answered["plot"].tolist() == sites["plot"].tolist()
    assert answered["survival_5"].notna().all()
    if isinstance(answered, geopandas.GeoDataFrame):
        assert answered.geometry.to_crs("EPSG:4326").geom_equals_exact(located.geometry, 1e-9).all()
    else:
        assert answered["latitude"].astype(float).tolist() == pytest.approx(sites["latitude"].tolist())


def _read(path: Path) -> Any:
    if path.suffix == ".csv":
        return pd.read_csv(path)
    if path.suffix == ".parquet":
        try:
            return geopandas.read_parquet(path)
        except ValueError:  # without a geometry
            return pd.read_parquet(path)
    return geopandas.read_file(path)


@pytest.mark.parametrize("source", ["a.gpkg", "a.geojson", "a.parquet", "plain.parquet"])
@pytest.mark.parametrize("output", ["out.csv", "out.gpkg", "out.geojson", "out.parquet"])
def test_integers_and_booleans_of_which_some_are_missing_come_back_as_they_were(
    predict: Predict, tmp_path: Path, source: str, output: str
) -> None:
    sites = table(3).reset_index(drop=True)[["latitude", "longitude", "species_code", "planting_method"]]
    sites["stand"] = pd.array([2**60 + 1, None, 7], dtype="Int64")
    sites["burnt"] = pd.array([True, None, False], dtype="boolean")
    if source == "plain.parquet":
        sites.to_parquet(tmp_path / source)
    else:
        points = geopandas.points_from_xy(sites.pop("longitude"), sites.pop("latitude"))
        located = geopandas.GeoDataFrame(sites, geometry=points, crs="EPSG:4326")
        if source == "a.parquet":
            located.to_parquet(tmp_path / source)
        else:
            located.to_file(tmp_path / source, use_arrow=True)
    predict(source, output)
    stands, burnt = [2**60 + 1, None, 7], [True, None, False]
    if output == "out.csv":
        answered = texts(tmp_path / output)
        assert answered["stand"].tolist() == ["" if stand is None else str(stand) for stand in stands]
        assert answered["burnt"].tolist() == ["true", "", "false"]
    elif output == "out.gpkg":
        with sqlite3.connect(tmp_path / output) as database:
            assert database.execute("SELECT stand, burnt FROM out").fetchall() == list(zip(stands, burnt, strict=True))
    elif output == "out.geojson":
        properties = [feature["properties"] for feature in json.loads((tmp_path / output).read_text())["features"]]
        assert [(of["stand"], of["burnt"]) for of in properties] == list(zip(stands, burnt, strict=True))
    else:
        answered = pq.read_table(tmp_path / output)
        assert (answered["stand"].to_pylist(), answered["burnt"].to_pylist()) == (stands, burnt)


@pytest.mark.parametrize("output", ["out.csv", "out.parquet", "out.gpkg", "out.geojson"])
def test_the_active_geometry_is_used_and_written_also_where_it_is_not_the_first(
    predict: Predict, service: ServiceProcess, tmp_path: Path, output: str
) -> None:
    corners, middles = ([Point(x, 44.12) for x in (west, west - 0.01)] for west in (-122.5, -122.03))
    sites = geopandas.GeoDataFrame({"corner": geopandas.GeoSeries(corners, crs=4326)})
    sites["middle"] = geopandas.GeoSeries(middles, crs=4326)
    sites.set_geometry("middle").to_parquet(tmp_path / "sites.parquet")
    result = predict("sites.parquet", output, *PLANTED)
    if output in ("out.gpkg", "out.geojson"):
        assert (result.exit_code, "its format has one geometry" in result.stderr) == (2, True)
        assert [path.name for path in tmp_path.iterdir()] == ["sites.parquet"]
        return
    if output == "out.parquet":
        answered = geopandas.read_parquet(tmp_path / output)
        assert answered.geometry.name == "middle"
        assert answered["middle"].tolist() == middles
        assert answered["corner"].tolist() == corners
        model = json.loads(pq.read_schema(tmp_path / output).metadata[b"model"])
        assert model["version"] == service.ask("/v1/model")["version"]
    else:
        answered = pd.read_csv(tmp_path / output)
        assert answered["longitude"].tolist() == [-122.03, -122.04]
    with Client(service.url, service.key) as client:
        expected = client.predict_table(sites.set_geometry("middle"), species_code="PSME", planting_method="manual")
    assert answered["matched_longitude"].tolist() == expected["matched_longitude"].tolist()


@pytest.mark.parametrize(
    ("names", "place"),
    [
        (["latitude", "longitude"], ["latitude_", "longitude_"]),
        (["longitude"], ["latitude_", "longitude_"]),
        (["latitude", "longitude_"], ["latitude__", "longitude__"]),
        (["LATITUDE"], ["latitude", "longitude"]),
    ],
)
def test_csv_has_the_place_of_a_geometry_beside_columns_named_like_it(
    predict: Predict, tmp_path: Path, names: list[str], place: list[str]
) -> None:
    # As of a file from elsewhere: pyarrow rounds this longitude to -122.05000000000001.
    longitude = np.nextafter(-122.05, -123)
    sites = geopandas.GeoDataFrame({name: [99] for name in names}, geometry=[Point(longitude, 44.12)], crs=4326)
    sites.to_file(tmp_path / "sites.gpkg")
    assert predict("sites.gpkg", "out.csv", *PLANTED).exit_code == 0
    written = texts(tmp_path / "out.csv")
    assert written[names].to_numpy().tolist() == [["99"] * len(names)]
    assert written[place].to_numpy().tolist() == [["44.12", "-122.05"]]


@pytest.mark.parametrize("command", [["predict", "--method", "manual"], ["plan", "--id", "stand"]])
@pytest.mark.parametrize("output", ["out.csv", "out.parquet"])
def test_an_index_of_parquet_with_a_name_is_a_column(
    service: ServiceProcess, tmp_path: Path, command: list[str], output: str
) -> None:
    stands = geopandas.read_file(STANDS)[["stand", "geometry"]]
    stands.set_index("stand").to_parquet(tmp_path / "stands.parquet")
    arguments = [*command, str(tmp_path / "stands.parquet"), "-o", str(tmp_path / output), "--species", "PSME"]
    assert run_here(service, *arguments).exit_code == 0
    assert _read(tmp_path / output)["stand"].unique().tolist() == stands["stand"].tolist()


@pytest.mark.parametrize("index", [["plot"], ["plot", "longitude"], None])
@pytest.mark.parametrize("output", ["out.gpkg", "out.geojson"])
def test_rows_of_parquet_keep_their_places_and_columns_whatever_their_index(
    predict: Predict, tmp_path: Path, index: list[str] | None, output: str
) -> None:
    sites = table(5).reset_index(drop=True).drop(columns="seen").sort_values("latitude", ascending=False)
    (sites if index is None else sites.set_index(index)).to_parquet(tmp_path / "sites.parquet")
    assert predict("sites.parquet", output).exit_code == 0
    answered = _read(tmp_path / output)
    assert answered["plot"].tolist() == sites["plot"].tolist()
    for latitudes in (answered["latitude"], answered.geometry.y):
        np.testing.assert_allclose(latitudes, sites["latitude"], rtol=0, atol=1e-7)  # GeoJSON is rounded


@pytest.mark.parametrize("name", ["geometry", "geom", "fid"])
@pytest.mark.parametrize("output", ["out.gpkg", "out.geojson"])
def test_a_column_named_like_one_of_the_format_is_kept(
    predict: Predict, tmp_path: Path, name: str, output: str
) -> None:
    values = [30, 10, 20] if name == "fid" else ["a", "b", "c"]
    table(3).reset_index(drop=True).drop(columns="seen").assign(**{name: values}).to_parquet(tmp_path / "sites.parquet")
    predict("sites.parquet", output)
    if output == "out.gpkg":
        with sqlite3.connect(tmp_path / output) as database:
            database.row_factory = sqlite3.Row
            rows = database.execute("SELECT * FROM out").fetchall()
            [(geometry,)] = database.execute("SELECT column_name FROM gpkg_geometry_columns").fetchall()
        assert [row["plot"] for row in rows] == ["plot 0", "plot 1", "plot 2"]
        assert [row[name] for row in rows] == values
        assert all(row[geometry].startswith(b"GP") for row in rows)
    else:
        features = json.loads((tmp_path / output).read_text())["features"]
        assert [feature["properties"][name] for feature in features] == values
        assert [feature["geometry"]["type"] for feature in features] == ["Point"] * 3


@pytest.mark.parametrize("output", ["out.gpkg", "out.geojson", "out.parquet"])
def test_columns_that_begin_like_one_of_the_answer_keep_their_values(
    predict: Predict, tmp_path: Path, output: str
) -> None:
    names = ["low_density", "high_water", "survival_rate", "contribution_share"]
    sites = geopandas.read_file(STANDS).assign(**dict.fromkeys(names, np.float32(0.0000123)))
    sites.to_parquet(tmp_path / "sites.parquet")
    assert predict("sites.parquet", output).exit_code == 0
    answered = _read(tmp_path / output)
    for name in names:
        assert answered[name].astype("float32").tolist() == sites[name].tolist(), name


@pytest.mark.parametrize("output", ["out.csv", "out.parquet", "out.gpkg", "out.geojson"])
def test_types_of_databases_are_written_as_each_format_has_them(predict: Predict, tmp_path: Path, output: str) -> None:
    ids = [UUID(int=2**127 + row) for row in range(3)]
    areas = [Decimal("12345678901234567890.125"), Decimal("1.500"), None]
    kept = {
        "id": pa.array(ids, pa.uuid()),
        "area": pa.array(areas, pa.decimal128(30, 3)),
        "at": pa.array([3_600_000_000_001, 0, None], pa.time64("ns")),
    }
    sites = table(3).drop(columns="seen").to_dict("list")
    pq.write_table(pa.table({**sites, **kept}), tmp_path / "sites.parquet")
    assert predict("sites.parquet", output).exit_code == 0
    if output == "out.parquet":
        assert pq.read_table(tmp_path / output, columns=list(kept)).equals(pa.table(kept))
        return
    answered = texts(tmp_path / output) if output == "out.csv" else _read(tmp_path / output)
    assert answered["id"].tolist() == [str(each) for each in ids]
    if output == "out.csv":
        assert answered["area"].tolist() == ["12345678901234567890.125", "1.500", ""]
        assert answered["at"].tolist() == ["01:00:00.000000001", "00:00:00.000000000", ""]
    else:
        assert answered["area"].tolist()[:2] == ["12345678901234567890.125", "1.500"]
        assert [str(each) for each in answered["at"]][:2] == ["01:00:00", "00:00:00"]


@pytest.mark.parametrize("command", [["predict", "--method", "manual"], ["plan"]])
@pytest.mark.parametrize("source", ["a.geojson", "a.parquet"])
@pytest.mark.parametrize("output", ["out.gpkg", "out.geojson", "out.parquet"])
def test_nested_values_that_are_missing_stay_missing(
    service: ServiceProcess, tmp_path: Path, command: list[str], source: str, output: str
) -> None:
    soils = [{"depth_cm": 80.1, "sand": True, "name": "x"}, None, {"depth_cm": 7.5}]
    visits = [[1, None], [], None]
    units = geopandas.read_file(STANDS)[["geometry"]].head(3).to_crs(4326).assign(soil=soils, visits=visits)
    if source == "a.parquet":
        units.to_parquet(tmp_path / source)
    else:
        features = [
            {"type": "Feature", "geometry": place.__geo_interface__, "properties": {"soil": soil, "visits": dates}}
            for place, soil, dates in zip(units.geometry, soils, visits, strict=True)
        ]
        (tmp_path / source).write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    arguments = [*command, str(tmp_path / source), "-o", str(tmp_path / output), "--species", "PSME"]
    assert run_here(service, *arguments).exit_code == 0
    if output == "out.gpkg":
        with sqlite3.connect(tmp_path / output) as database:
            written = database.execute("SELECT soil, visits FROM out").fetchall()
        rows = [[None if text is None else json.loads(text) for text in row] for row in written]
        assert isinstance(geopandas.read_file(tmp_path / output)["soil"].iloc[0], dict)
    elif output == "out.parquet":
        rows = [list(row.values()) for row in pq.read_table(tmp_path / output, columns=["soil", "visits"]).to_pylist()]
    else:
        features = json.loads((tmp_path / output).read_text())["features"]
        rows = [[feature["properties"][name] for name in ("soil", "visits")] for feature in features]
    each = [rows[0], *(after for before, after in pairwise(rows) if after != before)]  # a plan repeats them
    # In a column of Arrow all structs have the same fields.
    assert [soil and {name: value for name, value in soil.items() if value is not None} for soil, _ in each] == soils
    assert [dates for _, dates in each] == visits


@pytest.mark.parametrize("output", ["out.csv", "out.gpkg", "out.geojson"])
def test_numbers_keep_all_their_digits(predict: Predict, tmp_path: Path, output: str) -> None:
    ids = [617700169958293503, 617700169958293502, None]
    kept = {
        "cell": pa.array(ids, pa.uint64()),
        "long": pa.array([2**64 - 1, 7, None], pa.uint64()),
        "key": pa.array(ids, pa.decimal128(34, 0)),
        "cost": pa.array([Decimal("1234.56"), Decimal("0.35"), None], pa.decimal128(18, 3)),
        "share": pa.array([Decimal("0.01"), Decimal("1.2"), None], pa.decimal128(18, 3)),
    }
    pq.write_table(pa.table({**table(3).drop(columns="seen").to_dict("list"), **kept}), tmp_path / "sites.parquet")
    assert predict("sites.parquet", output).exit_code == 0
    if output == "out.csv":
        answered = texts(tmp_path / output)
        assert [answered[name].tolist()[:2] for name in ("cell", "key")] == [list(map(str, ids[:2]))] * 2
        return
    answered = geopandas.read_file(tmp_path / output, use_arrow=True, arrow_to_pandas_kwargs=pandas_types())
    assert [answered[name].tolist()[:2] for name in ("cell", "key")] == [ids[:2]] * 2
    assert answered["long"].tolist()[:2] == [str(2**64 - 1), "7"]
    assert answered["cost"].tolist()[:2] == [1234.56, 0.35]
    assert answered["share"].tolist()[:2] == [0.01, 1.2]
    assert answered[list(kept)].isna().to_numpy()[2].all()


def test_decimals_within_lists_are_numbers_and_times_are_those_of_iso_8601(predict: Predict, tmp_path: Path) -> None:
    sites = table(2).drop(columns="seen").to_dict("list")
    soil = {"ph": [Decimal("1.500"), Decimal("12345678901234567890.125")], "at": datetime(2024, 5, 1, 12)}
    pq.write_table(pa.table({**sites, "soil": [soil, None]}), tmp_path / "sites.parquet")
    assert predict("sites.parquet", "out.geojson").exit_code == 0
    features = json.loads((tmp_path / "out.geojson").read_text())["features"]
    expected = {"ph": [1.5, "12345678901234567890.125"], "at": "2024-05-01T12:00:00"}
    assert [feature["properties"]["soil"] for feature in features] == [expected, None]


def test_a_union_is_refused_by_name() -> None:
    union = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])])
    with pytest.raises(errors.InvalidRequestError, match="cannot have the column 'mixed' of sparse_union<"):
        with_types_of_gdal(pa.table({"mixed": union}))


def test_small_requests_make_no_small_row_groups(predict: Predict, service: ServiceProcess, tmp_path: Path) -> None:
    write_sites(tmp_path / "sites.csv", 900)
    predict("sites.csv", "out.parquet", NURSELOG_API_KEY=service.issue("mycel"))
    answered = pq.ParquetFile(tmp_path / "out.parquet")
    assert (answered.num_row_groups, answered.metadata.num_rows) == (1, 900)
    assert answered.read(["plot"])["plot"].to_pylist() == table(900)["plot"].tolist()


@pytest.mark.parametrize(
    ("name", "values", "output", "reason"),
    [
        ("visits", [[1, 2], [3]], "out.csv", "CSV cannot have the column 'visits' of list<"),
        ("visits", [[1, 2], [3]], "-", "CSV cannot have the column 'visits' of list<"),
        ("shape", [b"\x01\xff"] * 2, "out.csv", "CSV cannot have the column 'shape' of binary"),
        (
            "age",
            [pd.Timedelta(days=1)] * 2,
            "out.gpkg",
            "GeoPackage and GeoJSON cannot have the column 'age' of duration",
        ),
        ("age", [pd.Timedelta(days=1)] * 2, "out.geojson", "cannot have the column 'age' of duration"),
        ("shapes", [{"hash": [b"1"]}] * 2, "out.gpkg", "cannot have the column 'shapes' of struct<"),
        ("costs", pd.array([[("a", 1)]] * 2, COSTS), "out.gpkg", "cannot have the column 'costs' of map<"),
        ("costs", pd.array([[("a", 1)]] * 2, COSTS), "out.geojson", "cannot have the column 'costs' of map<"),
        ("PLOT", ["A", "B"], "out.gpkg", "in its format plot and PLOT are one column"),
        ("SURVIVAL_5", [1, 2], "out.geojson", "in its format SURVIVAL_5 and survival_5 are one column"),
    ],
)
def test_a_column_that_a_format_cannot_have_is_refused_before_anything_is_sent(
    service: ServiceProcess, tmp_path: Path, name: str, values: list[Any], output: str, reason: str
) -> None:
    source = tmp_path / "sites.parquet"
    table(2).reset_index(drop=True).drop(columns="seen").assign(**{name: values}).to_parquet(source)
    written = output if output == "-" else str(tmp_path / output)
    result = run(service, "predict", str(source), "-o", written, NURSELOG_URL="http://127.0.0.1:9")
    assert result.returncode == 2
    [message] = result.stderr.splitlines()
    assert message.startswith(f"nurselog: {written} cannot be written: ")
    assert reason in message
    assert [path.name for path in tmp_path.iterdir()] == ["sites.parquet"]


def test_a_shapefile_in_a_folder_of_a_zip_is_found(tmp_path: Path) -> None:
    points = geopandas.GeoDataFrame({"stand": ["a"]}, geometry=geopandas.points_from_xy([-122], [44]), crs="EPSG:4326")
    (tmp_path / "stands").mkdir()
    points.to_file(tmp_path / "stands" / "stands.shp")
    with ZipFile(tmp_path / "stands.zip", "w") as archive:
        for file in (tmp_path / "stands").iterdir():
            archive.write(file, f"stands/{file.name}")
            archive.writestr(f"__MACOSX/stands/._{file.name}", b"")
    source = open_source(tmp_path / "stands.zip", "utf-8", layer=None, crs=None)
    assert [part.table["stand"].to_pylist() for part in source.parts()] == [["a"]]


@pytest.mark.parametrize("command", [["predict", "--method", "manual"], ["plan", "--method", "manual"]])
def test_curved_geometries_are_read_with_straight_lines_in_place_of_arcs(
    service: ServiceProcess, tmp_path: Path, command: list[str]
) -> None:
    ages = [2**60 + 1, None]
    shapes = geopandas.GeoDataFrame({"age": pd.array(ages, "Int64")}, geometry=2 * [box(0, 0, 1, 1)], crs=26910)
    shapes.to_file(tmp_path / "a.gpkg", layer_options={"SPATIAL_INDEX": "NO"}, use_arrow=True)
    x, y, radius = 577700, 4885300, 500
    circle = (x + radius, y, x, y + radius, x - radius, y, x, y - radius, x + radius, y)
    string = struct.pack("<BII10d", 1, 8, 5, *circle)  # a CIRCULARSTRING of 5 points in well-known binary
    polygon = struct.pack("<BII", 1, 10, 1) + string
    surface = struct.pack("<BII", 1, 12, 1) + polygon
    with closing(sqlite3.connect(tmp_path / "a.gpkg")) as database:
        for feature, shape in enumerate((polygon, surface), start=1):
            binary = struct.pack("<2sBBi", b"GP", 0, 1, 26910) + shape
            database.execute("UPDATE a SET geom = ? WHERE fid = ?", (binary, feature))
        database.execute("UPDATE gpkg_geometry_columns SET geometry_type_name = 'GEOMETRY'")
        database.commit()
    output = tmp_path / "out.gpkg"
    result = run_here(service, *command, str(tmp_path / "a.gpkg"), "-o", str(output), "--species", "PSME")
    assert result.exit_code == 0
    written = geopandas.read_file(output, use_arrow=True, arrow_to_pandas_kwargs=pandas_types())
    assert [None if pd.isna(age) else age for age in written["age"]] == ages
    assert written["survival_5" if command[0] == "predict" else "survival_mean"].notna().all()
    assert written.area.tolist() == pytest.approx(2 * [math.pi * radius**2], rel=0.001)
    assert written.crs == shapes.crs


@pytest.mark.parametrize("command", [["predict", "--method", "manual"], ["plan"]])
@pytest.mark.parametrize(
    ("column", "written", "named"),
    [("stand", "ISO-8859-1", "latin-1"), ("años", "cp1252", "cp1252"), ("años", "utf-8", None)],
)
def test_the_encoding_of_a_shapefile_that_does_not_state_it_is_utf_8_or_the_named_one(
    service: ServiceProcess, tmp_path: Path, command: list[str], column: str, written: str, named: str | None
) -> None:
    stands = geopandas.read_file(STANDS)[["geometry"]].head(2).assign(**{column: ["Peñón", "Zürich"]})
    stands.to_file(tmp_path / "a.shp", encoding=written)
    (tmp_path / "a.cpg").unlink()
    attributes = bytearray((tmp_path / "a.dbf").read_bytes())
    attributes[29] = 0  # the code page, which GDAL writes for some encodings
    (tmp_path / "a.dbf").write_bytes(attributes)
    arguments = [*command, str(tmp_path / "a.shp"), "-o", str(tmp_path / "out.csv"), "--species", "PSME"]
    result = run_here(service, *arguments)
    if named is not None:
        assert (result.exit_code, "its text is not utf-8; --encoding names" in result.stderr) == (2, True)
        assert run_here(service, *arguments, "--encoding", named).exit_code == 0
    assert texts(tmp_path / "out.csv")[column].unique().tolist() == ["Peñón", "Zürich"]


@pytest.mark.parametrize("command", [["predict", "--method", "manual"], ["plan"]])
def test_a_shapefile_whose_text_is_not_what_its_cpg_states_is_read_in_the_named_encoding(
    service: ServiceProcess, tmp_path: Path, command: list[str]
) -> None:
    stands = geopandas.read_file(STANDS)[["geometry"]].head(1).assign(stand="Peñón")
    stands.to_file(tmp_path / "a.shp", encoding="cp1252")
    (tmp_path / "a.cpg").write_text("UTF-8")
    arguments = [*command, str(tmp_path / "a.shp"), "-o", str(tmp_path / "out.csv"), "--species", "PSME"]
    result = run_here(service, *arguments)
    assert (result.exit_code, "its text is not utf-8, which its .cpg states; --enc" in result.stderr) == (2, True)
    assert not (tmp_path / "out.csv").exists()
    for stated in ("UTF-8", "ISO-8859-5"):
        (tmp_path / "a.cpg").write_text(stated)
        assert run_here(service, *arguments, "--encoding", "cp1252").exit_code == 0
        assert texts(tmp_path / "out.csv")["stand"].unique().tolist() == ["Peñón"]


def test_lines_that_end_with_cr_alone_are_refused_with_what_would_be_right(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"latitude,longitude\r44.12,-122.03\r")
    with pytest.raises(errors.InvalidRequestError, match="end lines with LF or CRLF"):
        open_source(tmp_path / "a.csv", "utf-8", layer=None, crs=None)
