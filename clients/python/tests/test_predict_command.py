"""`nurselog predict`: files in, files out, and how it ends."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from command_process import COMMAND, Predict, environment_of, in_terminal, run
from pandas.testing import assert_frame_equal
from service_process import ROOT, ServiceProcess
from site_files import PLANTED, texts, write_sites

from nurselog import Client
from nurselog._files.summary import Summary

SAMPLES = ROOT / "data/samples"


def test_one_row_is_counted_in_the_singular() -> None:
    assert str(Summary(rows=1)) == "1 row: 1 answered, 0 failed"


def test_the_samples_are_answered_except_for_their_mistakes(service: ServiceProcess, tmp_path: Path) -> None:
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


def test_the_answers_of_a_file_are_those_of_a_frame(predict: Predict, service: ServiceProcess, tmp_path: Path) -> None:
    sites = write_sites(tmp_path / "sites.csv", 1200)
    predict("sites.csv", "out.csv", "--horizon", "5")
    answered = pd.read_csv(tmp_path / "out.csv", dtype={"error_code": str, "error_message": str})
    with Client(service.url, service.key) as client:
        expected = client.predict_table(sites, horizons=[5], categories=False)
    assert_frame_equal(answered, expected.astype({"planting_method": "str"}), check_dtype=False, rtol=1e-6)


def test_a_warning_of_a_library_is_one_line(service: ServiceProcess, tmp_path: Path) -> None:
    place = {"type": "Point", "coordinates": [-122.03, 44.12]}
    same_id = [{"type": "Feature", "id": 7, "properties": {"plot": name}, "geometry": place} for name in "ab"]
    (tmp_path / "a.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": same_id}))
    output = tmp_path / "out.csv"
    result = run(service, "predict", str(tmp_path / "a.geojson"), "-o", str(output), *PLANTED)
    warning, count = result.stderr.splitlines()
    assert warning.startswith("nurselog: Warning: Several features with id = 7")
    assert count == f"2 rows: 2 answered, 0 failed. Written to {output}."
    assert texts(output)["plot"].tolist() == ["a", "b"]


def test_a_pipe_is_read_and_written(predict: Predict, service: ServiceProcess, tmp_path: Path) -> None:
    write_sites(tmp_path / "sites.csv", 700)
    predict("sites.csv", "out.csv")
    with (tmp_path / "sites.csv").open("rb") as file:
        piped = subprocess.run(
            [COMMAND, "predict", "-", "-o", "-"], stdin=file, capture_output=True, env=environment_of(service)
        )
    assert piped.stdout == (tmp_path / "out.csv").read_bytes()
    assert b"\x1b" not in piped.stderr
    assert b"%" not in piped.stderr


def test_a_pipe_closed_after_the_first_line_ends_the_command_without_a_traceback(
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
    predict: Predict, tmp_path: Path, content: str, options: list[str], code: int, message: str
) -> None:
    (tmp_path / "sites.csv").write_text(content, encoding="utf-8")
    result = predict("sites.csv", "out.csv", *options)
    assert message in result.stderr
    assert result.exit_code == code
    assert "Traceback" not in result.stderr
    assert {path.name for path in tmp_path.iterdir()} == ({"sites.csv", "out.csv"} if code in (0, 4) else {"sites.csv"})


@pytest.mark.parametrize("output", ["out.csv", "out.gpkg"])
def test_a_file_is_answered_wherever_its_parts_begin(predict: Predict, tmp_path: Path, output: str) -> None:
    sites = write_sites(tmp_path / "sites.csv", 502).astype({"latitude": str})
    sites.loc[501, "latitude"] = "unknown"  # after the first part, which has 501 rows
    sites.to_csv(tmp_path / "sites.csv", index=False)
    result = predict("sites.csv", output)
    assert (result.exit_code, "501 answered, 1 failed" in result.stderr) == (0, True)
    (tmp_path / "sites.csv").write_text("latitude,longitude\nunknown,-122.03\n", encoding="utf-8")
    result = predict("sites.csv", output, *PLANTED)
    assert (result.exit_code, "0 answered, 1 failed" in result.stderr) == (4, True)


@pytest.mark.parametrize(
    ("source", "output", "message"),
    [
        ("sites.xlsx", "out.csv", "sites.xlsx cannot be read: its name must end with .csv"),
        ("sites.csv", "out.shp", "out.shp cannot be written: its name must end with .csv"),
        ("nothing.csv", "out.csv", "nothing.csv cannot be read"),
        ("sites.csv", "none/out.csv", "none/out.csv cannot be written: there is no folder"),
        ("sites.csv", "./sites.csv", "sites.csv cannot be written: the input is read from it"),
    ],
)
def test_files_that_cannot_be_read_or_written_are_named(
    predict: Predict, tmp_path: Path, source: str, output: str, message: str
) -> None:
    write_sites(tmp_path / "sites.csv", 1)
    result = predict(source, output, *PLANTED)
    assert (result.exit_code, message in result.stderr) == (2, True)


def test_files_whose_names_are_not_utf_8_are_read_and_written(service: ServiceProcess, tmp_path: Path) -> None:
    source, output = (tmp_path / os.fsdecode(name) for name in (b"sites \xe9.csv", b"out \xe9.csv"))
    sites = write_sites(source, 3)
    result = run(service, "predict", str(source), "-o", str(output))
    assert (result.returncode, "3 answered" in result.stderr) == (0, True)
    assert texts(output)["plot"].tolist() == sites["plot"].tolist()
    assert sorted(tmp_path.iterdir()) == [output, source]
