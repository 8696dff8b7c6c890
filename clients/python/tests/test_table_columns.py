"""Which columns and types of a table are read as sites, and which are refused."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

import geopandas
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from caller import Caller
from frames import frame, table
from pandas.testing import assert_frame_equal

from nurselog import errors

NOBODY = "http://127.0.0.1:9"


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


@pytest.mark.parametrize(("decimal", "text", "grouped"), [(",", "650,5", "1.200"), (".", "650.5", "1,200")])
def test_numbers_among_texts_have_either_decimal_sign(call: Caller, decimal: str, text: str, grouped: str) -> None:
    mixed = [650.5, text, np.float32(600.25), Decimal("600.25"), 600, None, grouped]
    plain = [650.5, 650.5, 600.25, 600.25, 600, None, math.nan]
    options: dict[str, Any] = {"elevation_m": "elevation", "categories": False}
    answered = call("predict_table", table(7).assign(elevation=mixed), decimal=decimal, **options)
    expected = call("predict_table", table(7).assign(elevation=pd.Series(plain, table(7).index)), **options)
    assert answered["survival_5"].tolist()[:6] == expected["survival_5"].tolist()[:6]
    assert answered["error_message"].tolist()[6].endswith(f'not "{grouped}".')


def test_columns_may_have_other_names_or_be_values_for_all_rows(call: Caller) -> None:
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
        pd.Series([44.12, " 44.13", 44.14], dtype=object),
    ],
    ids=["text", "nullable", "category", "decimal", "mixed"],
)
def test_coordinates_may_have_any_type_of_numbers(call: Caller, coordinates: pd.Series) -> None:
    given = table(3).reset_index(drop=True).assign(latitude=coordinates)
    expected = table(3).assign(latitude=[44.12, 44.13, 44.14])
    answered = call("predict_table", given)
    assert answered["survival_5"].tolist() == call("predict_table", expected)["survival_5"].tolist()


def test_an_elevation_that_is_no_number_is_quoted_in_an_error_row_and_a_missing_one_is_none(call: Caller) -> None:
    given = table(4).assign(elevation_m=["700", "850 m", None, "1e400"])
    answered = call("predict_table", given, elevation_m="elevation_m", categories=False)
    assert answered["error_code"].isna().tolist() == [True, False, True, False]
    assert answered["error_message"].iloc[3].endswith('not "1e400".')
    assert answered["error_message"].iloc[1].endswith('elevation_m must be a number from -10 to 4400 m, not "850 m".')
    assert answered["survival_5"].iloc[2] == call("predict_table", table(3))["survival_5"].iloc[2]


def test_texts_of_numbers_may_have_a_plus(call: Caller) -> None:
    plain = table(2).astype({"latitude": str, "longitude": str})
    answered = call("predict_table", plain.assign(latitude="+" + plain["latitude"]), categories=False)
    assert answered["survival_5"].tolist() == call("predict_table", plain, categories=False)["survival_5"].tolist()


def test_texts_of_numbers_are_read_wherever_in_a_larger_table_they_begin(call: Caller) -> None:
    elevations = ["", "NA", None, "700", " 1e3", "NA", "800.5", None, ""]
    given = pa.table(table(9).drop(columns="seen").assign(elevation=elevations)).slice(2)
    numbers = pa.array([None, 700, 1000, None, 800.5, None, None])
    place = given.schema.get_field_index("elevation")
    expected = call("predict_table", given.set_column(place, "elevation", numbers), elevation_m="elevation")
    answered = call("predict_table", given, elevation_m="elevation")
    assert answered["survival_5"].to_pylist() == expected["survival_5"].to_pylist()
    assert answered["error_code"].null_count == 7


def test_na_is_an_empty_elevation_and_an_invalid_latitude(call: Caller) -> None:
    sites = table(3).assign(elevation=["NA", "", "NA"])
    answered = call("predict_table", sites, elevation_m="elevation", categories=False)
    assert answered["error_code"].isna().all()
    sites = table(3).assign(latitude=["44.12", "NA", "44.12"], longitude=["-122.03", None, "-122.03"])
    answered = call("predict_table", sites, categories=False)
    assert answered["error_code"].isna().tolist() == [True, False, True]
    assert re.search(r'latitude must .*, not "NA"; longitude must .*, not nothing\.', answered["error_message"].iloc[1])


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
def test_a_wrong_column_is_named_with_the_existing_columns(call: Caller, options: dict[str, Any], message: str) -> None:
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
    ],
    ids=["list", "struct", "bytes", "run-end encoded", "polars list"],
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
