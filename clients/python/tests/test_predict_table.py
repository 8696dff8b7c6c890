"""Tables: the kind of frame that was given, with the answers of single requests."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from decimal import Decimal
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

from nurselog import AsyncClient, Client, errors

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


def test_progress_tells_the_rows_that_are_answered_and_all(call: Caller) -> None:
    told: list[tuple[int, int]] = []
    call("predict_table", table(1200), progress=lambda *rows: told.append(rows))
    assert told == [(501, 1200), (1200, 1200)]


def test_texts_of_numbers_may_have_decimal_commas(call: Caller) -> None:
    plain = table(3).astype({"latitude": str, "longitude": str})
    given = plain.assign(
        latitude=plain["latitude"].str.replace(".", ","), longitude="-122,03", elevation=["700,5", "1.234", ""]
    )
    answered = call("predict_table", given, decimal=",", elevation_m="elevation", categories=False)
    elevations = [700.5, math.nan, None]
    expected = call("predict_table", plain.assign(elevation=elevations), elevation_m="elevation", categories=False)
    assert answered["survival_5"].tolist()[::2] == expected["survival_5"].tolist()[::2]
    # A point would separate thousands.
    assert answered["error_code"].tolist()[1] == "invalid_request"
    with pytest.raises(errors.InvalidRequestError, match=r"with a decimal comma, not '44\.12'"):
        call("predict_table", plain.iloc[:1], decimal=",", url=NOBODY)
    with pytest.raises(ValueError, match="decimal must be"):
        call("predict_table", plain, decimal=";", url=NOBODY)


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


def test_values_for_all_rows_and_columns_of_other_names(call: Caller) -> None:
    given = table(6)
    expected = call("predict_table", given.assign(elevation=700.0), elevation_m="elevation", horizons=[1])
    renamed = given.rename(columns={"latitude": "y", "longitude": "x"})
    renamed = renamed.drop(columns=["species_code", "planting_method"])
    options: dict[str, Any] = {"latitude": "y", "longitude": "x", "species_code": "PSME", "planting_method": "manual"}
    answered = call("predict_table", renamed, **options, elevation_m=700, horizons=[1])
    assert_frame_equal(answered.loc[:, "matched_latitude":], expected.loc[:, "matched_latitude":])


@pytest.mark.parametrize(
    "coordinates",
    [
        pd.Series(["44.12", " 44.13 ", "4.414e1"]),
        pd.Series([44.12, 44.13, 44.14], dtype="Float64"),
        pd.Series(["44.12", "44.13", "44.14"], dtype="category"),
        pd.Series([Decimal("44.12"), Decimal("44.13"), Decimal("44.14")]),
    ],
    ids=["text", "nullable", "category", "decimal"],
)
def test_coordinates_may_have_any_type_of_numbers(call: Caller, coordinates: pd.Series) -> None:
    given = table(3).reset_index(drop=True).assign(latitude=coordinates)
    expected = table(3).assign(latitude=[44.12, 44.13, 44.14])
    answered = call("predict_table", given)
    assert answered["survival_5"].tolist() == call("predict_table", expected)["survival_5"].tolist()


def test_an_elevation_that_is_no_number_is_an_error_row_and_a_missing_one_is_none(call: Caller) -> None:
    given = table(3).assign(elevation_m=["700", "high", None])
    answered = call("predict_table", given, elevation_m="elevation_m")
    assert [None if pd.isna(code) else code for code in answered["error_code"]] == [None, "invalid_request", None]
    assert answered["survival_5"].iloc[2] == call("predict_table", table(3))["survival_5"].iloc[2]


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


@pytest.mark.parametrize("name", ["region", "error_code", "low_3", "factor_1_3"])
def test_a_column_named_like_one_of_the_answer_is_refused_before_anything_is_sent(call: Caller, name: str) -> None:
    with pytest.raises(errors.InvalidRequestError, match=f"'{name}'.*rename"):
        call("predict_table", table(3).assign(**{name: 1}), url=NOBODY)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"latitude": "lat"}, "'lat' for latitude is missing.*'plot', 'latitude', 'longitude'"),
        ({"species_code": "species"}, "'species' for species_code is missing, and is no code"),
        ({"planting_method": "drone"}, "'drone' for planting_method is missing, and is neither manual nor"),
        ({"elevation_m": "z"}, "'z' for elevation_m is missing"),
        ({"latitude": "seen"}, "'seen' must have numbers, not timestamp"),
        ({"latitude": "plot"}, "'plot' must have numbers with a decimal point, not 'plot 0'"),
    ],
)
def test_a_wrong_column_is_named_with_the_columns_there_are(
    call: Caller, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(errors.InvalidRequestError, match=message):
        call("predict_table", table(3), **options, url=NOBODY)


_COORDINATES = {"latitude": [44.12], "longitude": [-122.03]}


@pytest.mark.parametrize(
    "given",
    [
        pa.table({**_COORDINATES, "texts": [["PSME"]]}),
        pa.table({**_COORDINATES, "texts": [{"code": "PSME"}]}),
        pa.table({**_COORDINATES, "texts": [b"\xff"]}),
        pa.table({**_COORDINATES, "texts": pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), ["PSME"])}),
        pl.DataFrame({**_COORDINATES, "texts": [["PSME"]]}),
        pd.DataFrame({**_COORDINATES, "texts": [2**70]}),
    ],
    ids=["list", "struct", "bytes", "run-end encoded", "polars list", "large integer"],
)
def test_a_column_that_cannot_have_codes_is_named(call: Caller, given: Any) -> None:
    with pytest.raises(errors.InvalidRequestError, match="The column 'texts'"):
        call("predict_table", given, species_code="texts", planting_method="manual", url=NOBODY)


def test_dictionaries_of_views_of_texts_are_read(call: Caller) -> None:
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int8()), pa.array(["PSME"], pa.string_view()))
    given = pa.table({"latitude": [44.12] * 2, "longitude": [-122.03] * 2, "species_code": codes})
    assert call("predict_table", given, planting_method="manual").column("error_code").null_count == 2


def test_a_geographic_frame_without_an_active_geometry_has_columns_of_coordinates(call: Caller) -> None:
    given = geopandas.GeoDataFrame(table(3))
    assert call("predict_table", given)["error_code"].isna().all()


def test_geometries_without_a_place_on_earth_are_refused(call: Caller) -> None:
    given = frame("geopandas", 2).set_crs('LOCAL_CS["site",UNIT["metre",1]]', allow_override=True)
    with pytest.raises(errors.InvalidRequestError, match="'geometry' has no places in WGS 84"):
        call("predict_table", given, url=NOBODY)


def test_other_wrong_arguments_are_refused_before_anything_is_sent(call: Caller) -> None:
    with pytest.raises(TypeError, match=r"not builtins\.list"):
        call("predict_table", [{}], url=NOBODY)
    with pytest.raises(TypeError, match=r"not polars\..*Series"):
        call("predict_table", pl.Series([1.5]), url=NOBODY)
    with pytest.raises(ValueError, match="concurrency"):
        call("predict_table", table(1), concurrency=0, url=NOBODY)
    twice = pd.concat([table(1), table(1)["latitude"]], axis=1)
    with pytest.raises(errors.InvalidRequestError, match="'latitude' for latitude is there twice"):
        call("predict_table", twice, url=NOBODY)
    with pytest.raises(errors.InvalidRequestError, match="set_crs"):
        call("predict_table", frame("geopandas", 1).set_crs(None, allow_override=True), url=NOBODY)


def test_parts_of_an_iterator_are_answered_in_their_order(service: ServiceProcess) -> None:
    taken: list[int] = []

    def parts() -> Any:
        for number in range(12):
            taken.append(number)
            yield table(600).iloc[number * 50 : number * 50 + 50]

    with Client(service.url, service.key) as client:
        answers = client.predict_tables(parts(), concurrency=2)
        first = next(answers)
        assert len(taken) <= 4
        assert_frame_equal(pd.concat([first, *answers])[table(1).columns], table(600))


def test_parts_of_an_iterator_are_answered_in_their_order_by_the_asynchronous_client(service: ServiceProcess) -> None:
    async def plots() -> list[str]:
        async with AsyncClient(service.url, service.key) as client:
            parts = (table(600).iloc[start : start + 50] for start in range(0, 600, 50))
            return [plot async for answer in client.predict_tables(parts) for plot in answer["plot"]]

    assert asyncio.run(plots()) == table(600)["plot"].tolist()


def test_parts_without_a_number_are_error_rows(service: ServiceProcess) -> None:
    parts = [table(3).assign(latitude=["44.12", "44.13", ""]), table(2).assign(latitude=["44,12", "unknown"])]
    for order in (parts, [parts[1].iloc[1:], parts[0]]):
        with Client(service.url, service.key) as client:
            answered = pd.concat(client.predict_tables(order))
        is_number = pd.concat(order)["latitude"].str.startswith("44.")
        assert answered["survival_5"].notna().tolist() == is_number.tolist()


def test_parts_that_begin_with_decimal_commas_are_refused_before_anything_is_sent() -> None:
    parts = [table(2).assign(latitude=["unknown", " 44,12 "]), table(2)]
    with (
        Client(NOBODY, "key") as client,
        pytest.raises(errors.InvalidRequestError, match="with a decimal point, not '44,12'"),
    ):
        next(client.predict_tables(parts))


def test_na_is_an_empty_elevation_and_no_empty_latitude(call: Caller) -> None:
    sites = table(3).assign(elevation=["NA", "", "NA"])
    answered = call("predict_table", sites, elevation_m="elevation", categories=False)
    assert answered["error_code"].isna().all()
    sites = table(3).assign(latitude=["44.12", "NA", "44.12"])
    assert call("predict_table", sites, categories=False)["error_code"].isna().tolist() == [True, False, True]
