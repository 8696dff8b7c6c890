"""`nurselog predict`: CSV as spreadsheets and other programs write it."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any, cast

import geopandas
import pandas as pd
import pyarrow as pa
import pytest
from command_process import Predict
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from site_files import PLANTED, texts, write_sites

from nurselog._files.formats import CsvStyle
from nurselog._files.reading import count, open_source
from nurselog._files.writing import write_file


def test_csv_of_a_spreadsheet_with_decimal_commas_keeps_its_style(predict: Predict, tmp_path: Path) -> None:
    sites = write_sites(tmp_path / "sites.csv", 5)
    predict("sites.csv", "out.csv")
    expected = pd.read_csv(tmp_path / "out.csv")
    sites.to_csv(tmp_path / "commas.csv", index=False, sep=";", decimal=",")
    for options, separator in (([], ";"), (["--separator", "tab"], "\t"), (["--separator", ","], ",")):
        if options:
            sites.to_csv(tmp_path / "commas.csv", index=False, sep=separator, decimal=",")
        assert predict("commas.csv", "commas_out.csv", "--decimal", ",", *options).exit_code == 0
        answered = pd.read_csv(tmp_path / "commas_out.csv", sep=separator, decimal=",")
        assert_frame_equal(answered, expected)
    predict("commas.csv", "out.gpkg", "--decimal", ",", *options)
    assert geopandas.read_file(tmp_path / "out.gpkg").geometry.y.tolist() == expected["latitude"].tolist()


def test_latin_1_is_refused_with_the_remedy_and_read_with_its_encoding(predict: Predict, tmp_path: Path) -> None:
    (tmp_path / "sites.csv").write_text("place,latitude,longitude\nCañon,44.12,-122.03\n", encoding="latin-1")
    assert "--encoding names another" in predict("sites.csv", "out.csv", *PLANTED).stderr
    assert predict("sites.csv", "out.csv", *PLANTED, "--encoding", "latin-1").exit_code == 0
    # An encoding with more than a byte per character.
    wide = predict("sites.csv", "out.csv", *PLANTED, "--encoding", "utf-16")
    assert (wide.exit_code, "save the file as UTF-8" in wide.stderr) == (2, True)
    assert texts(tmp_path / "out.csv")["place"].tolist() == ["Cañon"]


def test_delimiters_within_quotes_of_the_header_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "sites.csv").write_text('"Stand, e.g. A, B, C, D";latitude;longitude\n7;44.12;-122.03\n')
    [part] = open_source(tmp_path / "sites.csv", "utf-8", None, None).parts()
    assert cast("pa.Table", part).to_pylist() == [
        {"Stand, e.g. A, B, C, D": "7", "latitude": "44.12", "longitude": "-122.03"}
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_byte_order_mark_stays(predict: Predict, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "sites.csv").write_text("latitude,longitude\n44.12,-122.03\n", encoding="utf-8-sig")
    options = [*PLANTED, "--encoding", encoding]
    predict("sites.csv", "out.csv", *options)
    piped = predict("sites.csv", "-", *options)
    for written in ((tmp_path / "out.csv").read_bytes(), piped.stdout_bytes):
        assert written.startswith(b"\xef\xbb\xbflatitude,longitude,matched_latitude")


def test_a_quote_that_is_not_closed_is_refused_with_its_row(predict: Predict, tmp_path: Path) -> None:
    lines = ["latitude,longitude,note", "44.12,-122.03,a", '44.12,-122.03,"b', "44.12,-122.03,c"]
    for last in ("\n", ""):
        (tmp_path / "sites.csv").write_text("\n".join(lines) + last)
        result = predict("sites.csv", "out.csv", *PLANTED)
        assert (result.exit_code, "a quote is not closed, in row 2." in result.stderr) == (2, True)
        assert [path.name for path in tmp_path.iterdir()] == ["sites.csv"]
    for last in ("", "\n", " \r\n\n"):
        (tmp_path / "sites.csv").write_text('latitude,longitude,note\n44.12,-122.03,"a\nb"' + last, newline="")
        assert predict("sites.csv", "out.csv", *PLANTED).exit_code == 0


def test_blank_lines_before_the_header_are_skipped(predict: Predict, tmp_path: Path) -> None:
    (tmp_path / "sites.csv").write_text("\n\nlatitude,longitude\n44.12,-122.03\n")
    predict("sites.csv", "out.csv", *PLANTED)
    assert texts(tmp_path / "out.csv")["error_code"].tolist() == [""]


def test_a_csv_file_is_read_by_pyarrow_alone(tmp_path: Path) -> None:
    write_sites(tmp_path / "sites.csv", 3)
    source = open_source(tmp_path / "sites.csv", "utf-8", None, None)
    assert sum(map(count, source.parts())) == 3
    assert isinstance(cast("Any", source)._file, pa.NativeFile)
    assert source.rows() == 3


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\ufeff"), max_size=8)


@settings(max_examples=200)
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
