"""`nurselog predict`: files in, files out."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import subprocess
from pathlib import Path
from typing import Any, cast

import geopandas
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_process import COMMAND, environment_of, in_terminal, run, run_here
from frames import table
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from rich.console import Console
from service_process import ROOT, ServiceProcess
from shapely.geometry import Point

from nurselog import Client
from nurselog._commands.predict_files import Job, predict_file
from nurselog._files.formats import CsvStyle
from nurselog._files.partial import PartialOutput
from nurselog._files.reading import count, open_source
from nurselog._files.writing import write_file

SAMPLES = ROOT / "data/samples"
PLANTED = ["--species", "PSME", "--method", "manual"]


def texts(path: Path) -> pd.DataFrame:
    """A CSV file as it is."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def write_sites(path: Path, rows: int) -> pd.DataFrame:
    sites = table(rows).reset_index(drop=True).drop(columns="seen")
    sites.to_csv(path, index=False)
    return sites


def test_the_samples_are_answered_but_for_their_mistakes(service: ServiceProcess, tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    result = run(service, "predict", str(SAMPLES / "sites.csv"), "-o", str(output), "--elevation-m", "elevation_m")
    assert result.returncode == 0
    assert "2,000 rows: 1,992 answered, 8 failed" in result.stderr
    given, answered = texts(SAMPLES / "sites.csv"), texts(output)
    assert_frame_equal(answered[given.columns], given)
    assert answered[answered["error_code"] != ""]["site"].tolist() == [
        *["250", "500", "750", "1000", "1250", "1500", "1750", "1900"]
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    with output.open(newline="", encoding="utf-8") as file:
        assert {len(row) for row in csv.reader(file)} == {len(answered.columns)}


def test_the_answers_of_a_file_are_those_of_a_frame(service: ServiceProcess, tmp_path: Path) -> None:
    sites = write_sites(tmp_path / "sites.csv", 1200)
    run_here(service, "predict", str(tmp_path / "sites.csv"), "-o", str(tmp_path / "out.csv"), "--horizon", "5")
    answered = pd.read_csv(tmp_path / "out.csv", dtype={"error_code": str, "error_message": str})
    with Client(service.url, service.key) as client:
        expected = client.predict_table(sites, horizons=[5], categories=False)
    assert_frame_equal(answered, expected.astype({"planting_method": "str"}), check_dtype=False, rtol=1e-6)


def test_a_geopackage_comes_back_in_its_reference_system_with_its_columns(
    service: ServiceProcess, tmp_path: Path
) -> None:
    output = tmp_path / "out.gpkg"
    assert run_here(service, "predict", str(SAMPLES / "stands.gpkg"), "-o", str(output)).exit_code == 0
    given, answered = geopandas.read_file(SAMPLES / "stands.gpkg"), geopandas.read_file(output)
    assert answered.crs == given.crs == "EPSG:26910"
    assert_frame_equal(pd.DataFrame(answered[given.columns]), pd.DataFrame(given))
    assert answered["survival_5"].between(0, 1).all()
    assert (answered["survival_5"] == answered["survival_5"].round(4)).all()


@pytest.mark.parametrize("source", ["a.csv", "a.parquet", "a.gpkg", "a.geojson", "a.shp", "geographic.parquet"])
@pytest.mark.parametrize("output", ["out.csv", "out.parquet", "out.gpkg", "out.geojson"])
def test_every_format_becomes_every_other(
    service: ServiceProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, output: str
) -> None:
    monkeypatch.setenv("NURSELOG_URL", service.url)
    monkeypatch.setenv("NURSELOG_API_KEY", service.key)
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
    options = {"latitude": "latitude", "longitude": "longitude", "species_code": "PSME", "planting_method": "manual"}
    job = Job(tmp_path / source, tmp_path / output, options, encoding="utf-8", layer=None, crs=None)
    assert str(predict_file(job, resume=False, console=Console())) == "5 rows: 5 answered, 0 failed"
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
    service: ServiceProcess, tmp_path: Path, source: str, output: str
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
    run_here(service, "predict", str(tmp_path / source), "-o", str(tmp_path / output))
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
    service: ServiceProcess, tmp_path: Path, output: str
) -> None:
    corners, middles = ([Point(x, 44.12) for x in (west, west - 0.01)] for west in (-122.5, -122.03))
    sites = geopandas.GeoDataFrame({"corner": geopandas.GeoSeries(corners, crs=4326)})
    sites["middle"] = geopandas.GeoSeries(middles, crs=4326)
    sites.set_geometry("middle").to_parquet(tmp_path / "sites.parquet")
    result = run_here(service, "predict", str(tmp_path / "sites.parquet"), "-o", str(tmp_path / output), *PLANTED)
    if output in ("out.gpkg", "out.geojson"):
        assert (result.exit_code, "its format has one geometry" in result.stderr) == (2, True)
        assert [path.name for path in tmp_path.iterdir()] == ["sites.parquet"]
        return
    if output == "out.parquet":
        answered = geopandas.read_parquet(tmp_path / output)
        assert answered.geometry.name == "middle"
        assert answered["middle"].tolist() == middles
        assert answered["corner"].tolist() == corners
    else:
        answered = pd.read_csv(tmp_path / output)
        assert answered["longitude"].tolist() == [-122.03, -122.04]
    with Client(service.url, service.key) as client:
        expected = client.predict_table(sites.set_geometry("middle"), species_code="PSME", planting_method="manual")
    assert answered["matched_longitude"].tolist() == expected["matched_longitude"].tolist()


@pytest.mark.parametrize("name", ["geometry", "geom", "fid"])
@pytest.mark.parametrize("output", ["out.gpkg", "out.geojson"])
def test_a_column_named_like_one_of_the_format_is_kept(
    service: ServiceProcess, tmp_path: Path, name: str, output: str
) -> None:
    values = [30, 10, 20] if name == "fid" else ["a", "b", "c"]
    table(3).reset_index(drop=True).drop(columns="seen").assign(**{name: values}).to_parquet(tmp_path / "sites.parquet")
    run_here(service, "predict", str(tmp_path / "sites.parquet"), "-o", str(tmp_path / output))
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


def test_small_requests_make_no_small_row_groups(service: ServiceProcess, tmp_path: Path) -> None:
    write_sites(tmp_path / "sites.csv", 900)
    arguments = ["predict", str(tmp_path / "sites.csv"), "-o", str(tmp_path / "out.parquet")]
    run_here(service, *arguments, NURSELOG_API_KEY=service.issue("mycel"))
    answered = pq.ParquetFile(tmp_path / "out.parquet")
    assert (answered.num_row_groups, answered.metadata.num_rows) == (1, 900)
    assert answered.read(["plot"])["plot"].to_pylist() == table(900)["plot"].tolist()


def test_a_pipe_is_read_and_written(service: ServiceProcess, tmp_path: Path) -> None:
    write_sites(tmp_path / "sites.csv", 700)
    run_here(service, "predict", str(tmp_path / "sites.csv"), "-o", str(tmp_path / "out.csv"))
    with (tmp_path / "sites.csv").open("rb") as file:
        piped = subprocess.run(
            [COMMAND, "predict", "-", "-o", "-"], stdin=file, capture_output=True, env=environment_of(service)
        )
    assert piped.stdout == (tmp_path / "out.csv").read_bytes()
    assert b"\x1b" not in piped.stderr
    assert b"%" not in piped.stderr


def test_who_reads_only_the_beginning_ends_the_command_without_a_traceback(
    service: ServiceProcess, tmp_path: Path
) -> None:
    write_sites(tmp_path / "sites.csv", 3000)
    command = f"{COMMAND} predict sites.csv -o - | head -n 1"
    result = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, env=environment_of(service))
    assert result.stdout.startswith(b"plot,latitude")
    assert b"Traceback" not in result.stderr


def test_a_terminal_shows_progress_without_colour_if_no_color_is_set(service: ServiceProcess, tmp_path: Path) -> None:
    write_sites(tmp_path / "sites.csv", 700)
    arguments = ["predict", str(tmp_path / "sites.csv"), "-o", str(tmp_path / "out.csv")]
    shown = in_terminal(service, *arguments, stream="stderr")
    assert b"700 rows" in shown
    assert b"rows/s" in shown
    assert b"100%" in shown
    colour = re.compile(rb"\x1b\[[0-9;]*3[0-7]m")
    assert not colour.search(in_terminal(service, *arguments, stream="stderr", NO_COLOR="1"))


@pytest.mark.parametrize("ended", ["quota", "crash"])
def test_an_interrupted_run_is_resumed_without_losing_or_doubling_rows(
    service: ServiceProcess, tmp_path: Path, ended: str
) -> None:
    write_sites(tmp_path / "sites.csv", 900)
    arguments = ["predict", str(tmp_path / "sites.csv"), "-o"]
    output, whole = tmp_path / "out.csv", tmp_path / "whole.csv"
    assert run_here(service, *arguments, str(whole)).exit_code == 0
    # 900 rows need a request for each 10 of a spore key, of which some are used up already.
    key = service.issue("spore")
    with Client(service.url, key) as client:
        for _ in range(30):
            client.species()
    result = run_here(service, *arguments, str(output), NURSELOG_API_KEY=key)
    assert result.exit_code == 3
    kept = re.search(r"(\d+) answered rows are kept: --resume continues", result.stderr)
    assert kept is not None
    assert 501 <= int(kept[1]) < 900
    assert not output.exists()
    partial = tmp_path / "out.csv.partial"
    if ended == "crash":
        partial.write_bytes(partial.read_bytes()[:-1000])
    assert run_here(service, *arguments, str(output), "--resume").exit_code == 0
    assert output.read_bytes() == whole.read_bytes()
    assert not partial.exists()


def test_rows_that_were_answered_are_kept_where_the_quota_ends_in_the_first_part(
    service: ServiceProcess, tmp_path: Path
) -> None:
    write_sites(tmp_path / "sites.csv", 600)
    arguments = ["predict", str(tmp_path / "sites.csv"), "-o"]
    output, whole = tmp_path / "out.csv", tmp_path / "whole.csv"
    key = service.issue("spore")
    with Client(service.url, key) as client:
        for _ in range(58):
            client.species()
    result = run_here(service, *arguments, str(output), NURSELOG_API_KEY=key)
    # Of 42 requests the first had too many rows.
    assert (result.exit_code, "410 answered rows are kept: --resume continues" in result.stderr) == (3, True)
    assert run_here(service, *arguments, str(output), "--resume").exit_code == 0
    assert run_here(service, *arguments, str(whole)).exit_code == 0
    assert output.read_bytes() == whole.read_bytes()


def test_a_run_does_not_end_well_where_another_one_of_the_same_output_took_its_rows(tmp_path: Path) -> None:
    first, second = (PartialOutput(tmp_path / "out.csv", {}) for _ in range(2))
    rows = pa.table({"row": [1, 2, 3]})
    first.start(resume=False)
    first.add(rows)
    first.add(rows)
    second.start(resume=False)
    second.add(rows)
    first.close()
    tables = first.tables()
    with pytest.raises(OSError, match=r"out\.csv\.partial has 3 of 6 answered rows: does another run write"):
        write_file(tmp_path / "out.csv", tables, "latitude", "longitude", CsvStyle())
    assert not (tmp_path / "out.csv").exists()
    second.close()
    second.remove()
    first.remove()


def test_a_run_with_other_options_is_not_resumed(service: ServiceProcess, tmp_path: Path) -> None:
    write_sites(tmp_path / "sites.csv", 900)
    arguments = ["predict", str(tmp_path / "sites.csv"), "-o", str(tmp_path / "out.csv")]
    key = service.issue("spore")
    with Client(service.url, key) as client:
        for _ in range(40):
            client.species()
    run_here(service, *arguments, NURSELOG_API_KEY=key)
    result = run_here(service, *arguments, "--resume", "--horizon", "1")
    assert (result.exit_code, "another input or other options" in result.stderr) == (2, True)
    # Without --resume it starts anew.
    assert run_here(service, *arguments, "--horizon", "1").exit_code == 0


@pytest.mark.parametrize(
    ("content", "options", "code", "message"),
    [
        ("lat,lon\n44.12,-122.03\n", PLANTED, 2, "'latitude' for latitude is missing. The columns are 'lat', 'lon'"),
        ("latitude,longitude,region\n44.12,-122.03,x\n", PLANTED, 2, "'region'"),
        ("latitude,longitude\n44.12,-122.03,7\n", PLANTED, 2, "Expected 2 columns, got 3"),
        ("latitude;longitude\n44,12;-122,03\n", PLANTED, 2, "with a decimal point, not '44,12'"),
        (
            "latitude,longitude\n44.12,-122.03\n",
            [*PLANTED, "--separator", ";"],
            2,
            "The columns are 'latitude,longitude'",
        ),
        ("", PLANTED, 2, "it is empty"),
        ("latitude,longitude\n10,10\n", PLANTED, 4, "outside_coverage"),
        ("latitude,longitude\n10,10\n44.12,-122.03\n", PLANTED, 0, "1 failed"),
        ("latitude,longitude\n10,10\n44.12,-122.03\n", [*PLANTED, "--strict"], 4, "1 failed"),
        ("latitude,longitude\n", PLANTED, 0, "0 rows"),
        ("latitude,longitude\n\n", PLANTED, 0, "0 rows"),
        ("latitude,longitude\n44.12,-122.03\n", [*PLANTED, "--include", "everything"], 1, "everything"),
    ],
)
def test_mistakes_have_a_message_and_an_exit_code(
    service: ServiceProcess, tmp_path: Path, content: str, options: list[str], code: int, message: str
) -> None:
    (tmp_path / "sites.csv").write_text(content, encoding="utf-8")
    result = run_here(service, "predict", str(tmp_path / "sites.csv"), "-o", str(tmp_path / "out.csv"), *options)
    assert message in result.stderr
    assert result.exit_code == code
    assert "Traceback" not in result.stderr
    assert {path.name for path in tmp_path.iterdir()} == ({"sites.csv", "out.csv"} if code in (0, 4) else {"sites.csv"})


def test_csv_of_a_spreadsheet_with_decimal_commas_comes_back_as_such(service: ServiceProcess, tmp_path: Path) -> None:
    sites = write_sites(tmp_path / "sites.csv", 5)
    run_here(service, "predict", str(tmp_path / "sites.csv"), "-o", str(tmp_path / "out.csv"))
    expected = pd.read_csv(tmp_path / "out.csv")
    sites.to_csv(tmp_path / "commas.csv", index=False, sep=";", decimal=",")
    arguments = ["predict", str(tmp_path / "commas.csv"), "--decimal", ",", "-o"]
    for options, separator in (([], ";"), (["--separator", "tab"], "\t"), (["--separator", ","], ",")):
        if options:
            sites.to_csv(tmp_path / "commas.csv", index=False, sep=separator, decimal=",")
        assert run_here(service, *arguments, str(tmp_path / "commas_out.csv"), *options).exit_code == 0
        answered = pd.read_csv(tmp_path / "commas_out.csv", sep=separator, decimal=",")
        assert_frame_equal(answered, expected)
    run_here(service, *arguments, str(tmp_path / "out.gpkg"), *options)
    assert geopandas.read_file(tmp_path / "out.gpkg").geometry.y.tolist() == expected["latitude"].tolist()


@pytest.mark.parametrize("output", ["out.csv", "out.gpkg"])
def test_a_file_is_answered_wherever_its_parts_begin(service: ServiceProcess, tmp_path: Path, output: str) -> None:
    sites = write_sites(tmp_path / "sites.csv", 502).astype({"latitude": str})
    sites.loc[501, "latitude"] = "unknown"  # after the first part, which has 501 rows
    sites.to_csv(tmp_path / "sites.csv", index=False)
    result = run_here(service, "predict", str(tmp_path / "sites.csv"), "-o", str(tmp_path / output))
    assert (result.exit_code, "501 answered, 1 failed" in result.stderr) == (0, True)
    (tmp_path / "sites.csv").write_text("latitude,longitude\nunknown,-122.03\n", encoding="utf-8")
    result = run_here(service, "predict", str(tmp_path / "sites.csv"), "-o", str(tmp_path / output), *PLANTED)
    assert (result.exit_code, "0 answered, 1 failed" in result.stderr) == (4, True)


@pytest.mark.parametrize(
    ("source", "output", "message"),
    [
        ("sites.xlsx", "out.csv", "sites.xlsx cannot be read: its name must end with .csv"),
        ("sites.csv", "out.shp", "out.shp cannot be written: its name must end with .csv"),
        ("nothing.csv", "out.csv", "nothing.csv cannot be read"),
        ("sites.csv", "none/out.csv", "none/out.csv cannot be written: there is no folder"),
    ],
)
def test_files_that_cannot_be_read_or_written_are_named(
    service: ServiceProcess, tmp_path: Path, source: str, output: str, message: str
) -> None:
    write_sites(tmp_path / "sites.csv", 1)
    result = run_here(service, "predict", str(tmp_path / source), "-o", str(tmp_path / output), *PLANTED)
    assert (result.exit_code, message in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("name", "values", "output", "reason"),
    [
        ("visits", [[1, 2], [3]], "out.csv", "CSV cannot have the column 'visits' of list<"),
        ("visits", [[1, 2], [3]], "-", "CSV cannot have the column 'visits' of list<"),
        ("age", [pd.Timedelta(days=1)] * 2, "out.gpkg", "Error while creating field"),
        ("age", [pd.Timedelta(days=1)] * 2, "out.geojson", "Error while creating field"),
        ("PLOT", ["A", "B"], "out.gpkg", "A field with the same name already exists"),
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


def test_an_output_that_cannot_take_its_place_is_named_and_the_answered_rows_are_kept(
    service: ServiceProcess, tmp_path: Path
) -> None:
    write_sites(tmp_path / "sites.csv", 3)
    output = tmp_path / "out.csv"
    output.mkdir()
    arguments = ["predict", str(tmp_path / "sites.csv"), "-o", str(output)]
    result = run(service, *arguments)
    assert (result.returncode, len(result.stderr.splitlines())) == (1, 1)
    assert result.stderr.startswith(f"nurselog: {output} cannot be written: ")
    output.rmdir()
    assert run(service, *arguments, "--resume", NURSELOG_URL="http://127.0.0.1:9").returncode == 0
    assert texts(output)["survival_5"].ne("").tolist() == [True] * 3


def test_latin_1_is_refused_with_the_remedy_and_read_with_it(service: ServiceProcess, tmp_path: Path) -> None:
    (tmp_path / "sites.csv").write_text("place,latitude,longitude\nCañon,44.12,-122.03\n", encoding="latin-1")
    arguments = ["predict", str(tmp_path / "sites.csv"), "-o", str(tmp_path / "out.csv"), *PLANTED]
    assert "--encoding names another" in run_here(service, *arguments).stderr
    assert run_here(service, *arguments, "--encoding", "latin-1").exit_code == 0
    # Of more than a byte a character.
    wide = run_here(service, *arguments, "--encoding", "utf-16")
    assert (wide.exit_code, "save the file as UTF-8" in wide.stderr) == (2, True)
    assert texts(tmp_path / "out.csv")["place"].tolist() == ["Cañon"]


def test_delimiters_within_quotes_of_the_header_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "sites.csv").write_text('"Stand, e.g. A, B, C, D";latitude;longitude\n7;44.12;-122.03\n')
    [part] = open_source(tmp_path / "sites.csv", "utf-8", None, None).parts()
    assert cast("pa.Table", part).to_pylist() == [
        {"Stand, e.g. A, B, C, D": "7", "latitude": "44.12", "longitude": "-122.03"}
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_byte_order_mark_stays(service: ServiceProcess, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "sites.csv").write_text("latitude,longitude\n44.12,-122.03\n", encoding="utf-8-sig")
    options = [*PLANTED, "--encoding", encoding]
    run_here(service, "predict", str(tmp_path / "sites.csv"), "-o", str(tmp_path / "out.csv"), *options)
    piped = run_here(service, "predict", str(tmp_path / "sites.csv"), "-o", "-", *options)
    for written in ((tmp_path / "out.csv").read_bytes(), piped.stdout_bytes):
        assert written.startswith(b"\xef\xbb\xbflatitude,longitude,matched_latitude")


def test_blank_lines_before_the_header_are_passed_over(service: ServiceProcess, tmp_path: Path) -> None:
    (tmp_path / "sites.csv").write_text("\n\nlatitude,longitude\n44.12,-122.03\n")
    run_here(service, "predict", str(tmp_path / "sites.csv"), "-o", str(tmp_path / "out.csv"), *PLANTED)
    assert texts(tmp_path / "out.csv")["error_code"].tolist() == [""]


def test_a_csv_file_is_read_by_pyarrow_alone_so_that_its_thread_needs_no_python_at_the_end(tmp_path: Path) -> None:
    write_sites(tmp_path / "sites.csv", 3)
    source = open_source(tmp_path / "sites.csv", "utf-8", None, None)
    assert sum(map(count, source.parts())) == 3
    assert isinstance(cast("Any", source)._file, pa.NativeFile)
    assert source.rows() == 3


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\ufeff"), max_size=8)


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=6))
def test_cells_are_written_as_they_were_read(tmp_path: Path, rows: list[list[str]]) -> None:
    written = io.StringIO()
    writer = csv.writer(written, quoting=csv.QUOTE_ALL)
    writer.writerow(["a", "b,\n", 'c"'])
    writer.writerows(rows)
    path = tmp_path / "cells.csv"
    path.write_text(written.getvalue(), encoding="utf-8", newline="")
    source = open_source(path, "utf-8", None, None)
    write_file(tmp_path / "out.csv", iter(source.parts()), "a", "b", CsvStyle())
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [["a", "b,\n", 'c"'], *rows]
