"""Tables: the kind of frame that was given, with the answers of single requests."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import duckdb
import geopandas
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from caller import Caller
from frames import KINDS, frame, table, to_pandas
from pandas.testing import assert_frame_equal
from service_process import ServiceProcess
from shapely import LineString, MultiPolygon, Point, Polygon, box
from sites import PLANTED

from nurselog import Client, errors
from nurselog._table.columns import with_models
from nurselog._table.frames import adapt

NOBODY = "http://127.0.0.1:9"


def columns_of(result: dict[str, Any]) -> dict[str, Any]:
    """The columns of a table's row, by the answer of a batch to the same site."""
    place = {name: result["site"][name] for name in ("matched_latitude", "matched_longitude", "match_distance_km")}
    columns = {**place, "region": result["site"]["region"]}
    for prediction in result["predictions"]:
        horizon = prediction["horizon_years"]
        columns[f"survival_{horizon}"] = prediction["survival_probability"]
        for number, factor in enumerate(prediction["risk_factors"], start=1):
            columns[f"factor_{horizon}_{number}"] = factor["factor"]
            sign = 1 if factor["impact"] == "positive" else -1
            columns[f"contribution_{horizon}_{number}"] = sign * factor["magnitude"]
    return columns


def assert_answers(answered: pd.DataFrame, results: list[Any]) -> None:
    """The rows of a table are the answers of a batch."""
    assert len(answered) == len(results)
    for row, result in zip(answered.to_dict("records"), results, strict=True):
        if isinstance(result, errors.NurselogError):
            assert (row["error_code"], row["error_message"]) == (result.code, result.message)
            assert all(pd.isna(row[name]) for name in row if name.startswith(("survival", "factor", "match")))
            continue
        assert pd.isna(row["error_code"])
        for name, value in columns_of(result).items():
            shown = round(float(row[name]), 4) if name.startswith(("survival", "contribution")) else row[name]
            assert shown == value, name


@pytest.mark.parametrize("kind", KINDS)
def test_rows_get_the_answers_of_a_batch_in_the_kind_of_frame_that_was_given(call: Caller, kind: str) -> None:
    given = frame(kind, 600)
    answered = call("predict_table", given)
    assert type(answered) is type(given)
    results = call("predict_many", table(600).drop(columns="seen").to_dict("records"))
    assert_answers(to_pandas(answered), results)


@pytest.mark.parametrize("kind", ["pandas", "geopandas"])
def test_index_and_other_columns_of_pandas_are_kept(call: Caller, kind: str) -> None:
    given = frame(kind, 7)
    given.columns.name = "what"
    given.attrs["survey"] = 2026
    before = given.copy()
    answered = call("predict_table", given)
    assert_frame_equal(answered[given.columns], before)
    assert_frame_equal(given, before)
    assert answered.attrs == {"survey": 2026}
    if kind == "geopandas":
        assert answered.crs == given.crs


@pytest.mark.parametrize("kind", ["pyarrow table", "pyarrow batch"])
def test_columns_and_metadata_of_arrow_are_kept(call: Caller, kind: str) -> None:
    given = frame(kind, 7)
    answered = call("predict_table", given)
    assert answered.select(given.schema.names).equals(given)
    assert answered.schema.metadata[b"origin"] == b"tests"


@pytest.mark.parametrize("kind", ["pyarrow table", "pyarrow batch"])
def test_models_of_an_earlier_answer_are_replaced(call: Caller, kind: str) -> None:
    given = frame(kind, 7)
    by_one = call("predict_table", given.replace_schema_metadata({"origin": "tests", "models": "earlier"}))
    assert sorted(by_one.schema.metadata) == [b"model", b"origin"]
    several = with_models(pa.table({"survival_5": [0.5]}), [b"{}", b'{"version": "2"}'])
    by_several = adapt(given.replace_schema_metadata({"model": "earlier"})).with_answer(several)
    assert by_several.schema.metadata == {b"models": b'[{},{"version": "2"}]'}


def test_columns_of_polars_are_kept(call: Caller) -> None:
    given = frame("polars", 7)
    assert call("predict_table", given).select(given.columns).equals(given)


STREAMS: dict[str, Callable[[pa.Table], Any]] = {
    "DuckDB relation": lambda given: duckdb.arrow(given).filter("latitude > 0"),
    "polars lazy": lambda given: pl.DataFrame(given).lazy().filter(pl.col("latitude") > 0),
    "reader": lambda given: pa.RecordBatchReader.from_batches(given.schema, given.to_batches(max_chunksize=100)),
}


@pytest.mark.parametrize("kind", STREAMS)
def test_a_stream_of_arrow_is_answered_as_its_table(call: Caller, kind: str) -> None:
    given = frame("pyarrow table", 600)
    answered = call("predict_table", STREAMS[kind](given), categories=False)
    assert isinstance(answered, pl.DataFrame if kind == "polars lazy" else pa.Table)
    expected = call("predict_table", given, categories=False).drop_columns("seen")
    shown = to_pandas(answered)[expected.column_names].astype({"planting_method": "str"})
    assert_frame_equal(shown, expected.to_pandas().astype({"planting_method": "str"}), check_dtype=False)


def test_a_recordbatchreader_is_answered_batch_by_batch(service: ServiceProcess) -> None:
    reader = STREAMS["reader"](frame("pyarrow table", 600))
    with Client(service.url, service.key) as client:
        assert [answer.num_rows for answer in client.predict_tables(reader)] == 6 * [100]


def test_progress_reports_the_answered_rows_and_their_total(call: Caller) -> None:
    told: list[tuple[int, int]] = []
    call("predict_table", table(1200), progress=lambda *rows: told.append(rows))
    assert told == [(501, 1200), (1200, 1200)]


def test_only_the_columns_of_sites_are_sent(service: ServiceProcess) -> None:
    given = table(5).assign(secret=object())
    with Client(service.url, service.key) as client:
        assert len(client.predict_table(given)) == 5


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_table_gets_the_columns_of_an_answer_without_a_request(call: Caller, kind: str) -> None:
    answered = call("predict_table", frame(kind, 0), horizons=[5, 1], include=["intervals"], url=NOBODY)
    names = to_pandas(answered).columns
    added = list(names[list(names).index("matched_latitude") :])
    factors = [f"{part}_{{0}}_{number}" for number in (1, 2, 3) for part in ("factor", "contribution")]
    horizon = ["survival_{0}", *factors, "low_{0}", "high_{0}"]
    assert added == [
        *["matched_latitude", "matched_longitude", "match_distance_km", "region"],
        *(name.format(years) for years in (1, 5) for name in horizon),
        *["error_code", "error_message"],
    ]


def test_rows_that_cannot_be_answered_are_error_rows(call: Caller) -> None:
    given = table(8)
    given.loc[given.index[0], "latitude"] = np.nan
    given = given.astype({"longitude": object, "species_code": object})
    given.iloc[2, 2] = None
    given.iloc[3, 1] = math.inf
    given.iloc[4, 1] = 10.0
    given.iloc[5, 3] = None
    given.iloc[6, 3] = "psme"
    answered = call("predict_table", given)
    codes = ["invalid_request"] * 4 + ["outside_coverage", "invalid_request", "invalid_species", None]
    assert [None if pd.isna(code) else code for code in answered["error_code"]] == codes
    assert answered["error_message"].isna().tolist() == [False] * 7 + [True]
    assert answered["survival_5"].isna().tolist() == [True] * 7 + [False]


def test_geometries_of_any_reference_system_are_used(call: Caller) -> None:
    unit = box(576_000, 4_885_000, 577_000, 4_886_000)
    bend = Polygon([(0, 0), (3000, 0), (3000, 3000), (2900, 3000), (2900, 100), (0, 100)])
    shapes = [
        Point(577_612.1, 4_885_658.5),
        unit,
        MultiPolygon([unit, box(578_000, 4_885_000, 578_100, 4_885_100)]),
        LineString([(576_000, 4_885_000), (578_000, 4_886_000)]),
        geopandas.GeoSeries([bend]).translate(576_000, 4_885_000)[0],
        Point(),
        None,
    ]
    units = geopandas.GeoDataFrame({"unit": range(7)}, geometry=shapes, crs="EPSG:26910")
    answered = call("predict_table", units, species_code="PSME", planting_method="manual")
    inside = units.geometry[:5].representative_point().to_crs("EPSG:4326")
    sites = [{**PLANTED, "latitude": point.y, "longitude": point.x} for point in inside]
    assert_answers(answered[:5], call("predict_many", sites))
    assert answered["error_code"][5:].tolist() == ["invalid_request"] * 2
    assert units.geometry[4].contains(units.geometry[4:5].representative_point()[4])


def test_options_are_those_of_a_prediction(call: Caller) -> None:
    scenario: dict[str, Any] = {"warming_c": 2.0, "precipitation_change_percent": -10.0}
    answered = call("predict_table", table(3), horizons=[3], **scenario)
    sites = table(3).drop(columns="seen").to_dict("records")
    results = call("predict_many", sites, horizons=[3], scenario=scenario)
    assert_answers(answered, results)
    assert "survival_1" not in answered


def test_plain_texts_are_strings(call: Caller) -> None:
    answered = call("predict_table", frame("pyarrow table", 3), categories=False)
    assert answered.schema.field("factor_5_1").type == pa.string()
    assert answered.schema.field("error_code").type == pa.string()
