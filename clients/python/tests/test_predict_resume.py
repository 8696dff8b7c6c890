"""`nurselog predict`: runs that end early, and their resumption."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import geopandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_process import Predict, run
from service_process import ServiceProcess, copy_of_models, raise_version
from shapely.geometry import Point
from site_files import PLANTED, texts, write_sites

from nurselog._files.formats import CsvStyle
from nurselog._files.partial import PartialOutput
from nurselog._files.summary import Summary
from nurselog._files.writing import write_file


@pytest.mark.parametrize("ended", ["quota", "crash"])
def test_an_interrupted_run_is_resumed_without_losing_or_doubling_rows(
    predict: Predict, service: ServiceProcess, tmp_path: Path, ended: str
) -> None:
    write_sites(tmp_path / "sites.csv", 900)
    output, whole = tmp_path / "out.csv", tmp_path / "whole.csv"
    assert predict("sites.csv", "whole.csv").exit_code == 0
    # 900 rows need a request for each 10 of a spore key.
    result = predict("sites.csv", "out.csv", NURSELOG_API_KEY=service.nearly_used_key(left=70))
    assert result.exit_code == 3
    kept = re.search(r"(\d+) answered rows are kept: --resume continues", result.stderr)
    assert kept is not None
    assert 501 <= int(kept[1]) < 900
    assert not output.exists()
    partial = tmp_path / "out.csv.partial"
    if ended == "crash":
        partial.write_bytes(partial.read_bytes()[:-1000])
    assert predict("sites.csv", "out.csv", "--resume").exit_code == 0
    assert output.read_bytes() == whole.read_bytes()
    assert not partial.exists()


def test_rows_that_were_answered_are_kept_where_the_quota_ends_in_the_first_part(
    predict: Predict, service: ServiceProcess, tmp_path: Path
) -> None:
    write_sites(tmp_path / "sites.csv", 600)
    result = predict("sites.csv", "out.csv", NURSELOG_API_KEY=service.nearly_used_key(left=42))
    # Of 42 requests the first had too many rows.
    assert (result.exit_code, "410 answered rows are kept: --resume continues" in result.stderr) == (3, True)
    assert (tmp_path / "out.csv.partial").stat().st_size < 120_000
    assert predict("sites.csv", "out.csv", "--resume").exit_code == 0
    assert predict("sites.csv", "whole.csv").exit_code == 0
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_a_run_and_its_parquet_file_say_that_the_models_changed_before_it_was_resumed(
    predict: Predict, service: ServiceProcess, tmp_path: Path
) -> None:
    write_sites(tmp_path / "sites.csv", 600)
    predict("sites.csv", "out.parquet", NURSELOG_API_KEY=service.nearly_used_key(left=42))
    copy = copy_of_models(tmp_path / "models")
    former, version = raise_version(copy)
    with ServiceProcess(copy) as other:
        result = predict("sites.csv", "out.parquet", "--resume", NURSELOG_URL=other.url, NURSELOG_API_KEY=other.key)
    assert result.exit_code == 0
    changed = f"The models changed before all rows were answered: {former} (410 rows), {version} (190 rows)."
    assert changed in result.stderr
    answered = pq.read_table(tmp_path / "out.parquet")
    assert answered["survival_5"].null_count == 0
    models = json.loads(answered.schema.metadata[b"models"])
    assert [model["version"] for model in models] == [former, version]
    assert b"model" not in answered.schema.metadata
    assert "models changed" not in predict("sites.csv", "whole.parquet").stderr
    assert json.loads(pq.read_schema(tmp_path / "whole.parquet").metadata[b"model"]) == models[0]


def test_rows_of_other_models_keep_their_model_within_a_run(tmp_path: Path) -> None:
    partial = PartialOutput(tmp_path / "out.csv", {})
    partial.start(resume=False)
    for version in ("1", "2", "2"):
        partial.add(pa.table({"row": [1, 2]}, metadata={"model": f'{{"version": "{version}"}}'}))
    partial.close()
    summary = Summary()
    for table in partial.tables():
        summary.add(table.append_column("error_code", pa.nulls(2)))
    assert (summary.rows, summary.models) == (6, {b'{"version": "1"}': 2, b'{"version": "2"}': 4})
    partial.remove()


def test_a_run_fails_if_another_run_with_the_same_output_removed_its_rows(tmp_path: Path) -> None:
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


def test_a_run_with_other_options_is_not_resumed(predict: Predict, service: ServiceProcess, tmp_path: Path) -> None:
    write_sites(tmp_path / "sites.csv", 900)
    predict("sites.csv", "out.csv", NURSELOG_API_KEY=service.nearly_used_key(left=60))
    result = predict("sites.csv", "out.csv", "--resume", "--horizon", "1")
    assert (result.exit_code, "another input or other options" in result.stderr) == (2, True)
    # Without --resume it starts from the beginning.
    assert predict("sites.csv", "out.csv", "--horizon", "1").exit_code == 0


@pytest.mark.parametrize("source", ["sites.shp", "sites.gpkg"])
def test_a_run_is_not_resumed_after_an_edit_that_is_in_a_file_beside_the_source(
    service: ServiceProcess, tmp_path: Path, source: str
) -> None:
    plots = [f"plot {number}" for number in range(30)]
    geopandas.GeoDataFrame({"plot": plots}, geometry=30 * [Point(-122.03, 44.12)], crs=4326).to_file(tmp_path / source)
    arguments = ["predict", str(tmp_path / source), "-o", str(tmp_path / "out.csv"), *PLANTED]
    attributes = tmp_path / "sites.dbf"
    with closing(sqlite3.connect(tmp_path / "sites.gpkg")) as database:
        if source == "sites.gpkg":
            # As QGIS does. The command is a process of its own, because locks of SQLite are those of a process.
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("UPDATE gpkg_contents SET description = 'first'")
            database.commit()
        for rows in (10, 20):  # the first of two requests has too many
            ended = run(service, *arguments, "--resume", NURSELOG_API_KEY=service.nearly_used_key(left=2))
            assert (ended.returncode, f"{rows} answered rows are kept" in ended.stderr) == (3, True)
        if source == "sites.gpkg":
            database.execute("UPDATE gpkg_contents SET description = 'second'")
            database.commit()
        else:
            attributes.write_bytes(attributes.read_bytes().replace(b"plot", b"site"))
        ended = run(service, *arguments, "--resume")
        assert (ended.returncode, "another input or other options" in ended.stderr) == (2, True)


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
    assert result.stderr.endswith(". 3 answered rows are kept: --resume continues.\n")
    output.rmdir()
    assert run(service, *arguments, "--resume", NURSELOG_URL="http://127.0.0.1:9").returncode == 0
    assert texts(output)["survival_5"].ne("").tolist() == [True] * 3
