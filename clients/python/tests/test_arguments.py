"""Arguments of wrong types: the error names the argument, what it was, and what would be right."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pandas as pd
import pytest
from caller import Caller
from frames import table
from rasters import write_dem
from shapely.geometry import box
from sites import PLANTED, SITE

from nurselog import AsyncClient, Client, errors

NOBODY = "http://127.0.0.1:9"

METHODS: dict[str, dict[str, Any]] = {
    "predict": PLANTED,
    "compare": SITE,
    "rank": {"latitude": SITE["latitude"], "longitude": SITE["longitude"]},
    "surface": {"species_code": "PSME"},
    "surface_file": {"species_code": "PSME", "format": "csv"},
    "predict_many": {"sites": [PLANTED]},
    "predict_table": {"frame": table(1)},
    "predict_raster": {"template": "dem.tif", "species_code": "PSME"},
    "plan": {"units": geopandas.GeoDataFrame(geometry=[box(-122.05, 44.1, -122.03, 44.12)], crs="EPSG:4326")},
}
# What is wrong with these is said in words of the service or of rasters.
_SAID = {"format": "f must be", "template": "a raster must be", "predict_raster elevation_m": "a raster must be"}


@pytest.mark.parametrize(
    ("method", "name"),
    [
        (method, name)
        for method in METHODS
        for name in inspect.signature(getattr(Client, method)).parameters
        if name not in ("self", "categories")  # whose truth is used
    ],
)
def test_every_argument_of_a_wrong_type_is_named(call: Caller, tmp_path: Path, method: str, name: str) -> None:
    given = METHODS[method]
    if method == "predict_raster":
        given = {**given, "template": write_dem(tmp_path / "dem.tif", scale=10)}
    with pytest.raises(Exception) as raised:
        for result in call(method, **{**given, name: object()}):
            raise result  # of predict_many
    assert _SAID.get(f"{method} {name}", _SAID.get(name, name)) in str(raised.value)


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("predict_table", {"elevation_m": table(1)["latitude"]}, "the name of a column or a number for all rows, not "),
        ("predict_table", {"species_code": ["PSME"]}, "the name of a column or a value for all rows, not ['PSME']"),
        ("predict_table", {"horizons": 5}, "a list of years, such as [1, 5], not 5"),
        ("predict_table", {"include": "intervals"}, """a list, such as ["intervals"], not 'intervals'"""),
        ("predict_table", {"concurrency": "4"}, "an integer above 0, not '4'"),
        ("predict_tables", {"frames": 5}, "an iterable of frames, not 5"),
        ("predict_many", {"sites": table(1)}, """a mapping, such as {"latitude": 44.12}, not 'plot'"""),
        ("surface", {"scenario": [2]}, """a mapping, such as {"warming_c": 2}, not [2]"""),
    ],
)
def test_an_argument_of_a_wrong_type_is_refused_with_its_value_and_what_would_be_right(
    method: str, arguments: dict[str, Any], message: str
) -> None:
    [name] = arguments
    with Client(NOBODY, "key") as client, pytest.raises(TypeError, match=rf"\b{name} must be {re.escape(message)}"):
        getattr(client, method)(**{**METHODS.get(method, {}), **arguments})


@pytest.mark.parametrize("client", [Client, AsyncClient])
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("timeout", "60", "timeout must be a number of seconds, not '60'"),
        ("retries", [5], "retries must be a number, not [5]"),
        ("api_key", b"secret", "api_key must be a text, not bytes"),
    ],
)
def test_a_setting_of_a_wrong_type_is_named(client: Any, name: str, value: object, message: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        client(**{"url": NOBODY, "api_key": "key", name: value})


def test_names_of_columns_need_not_be_texts_and_rows_of_pandas_are_sites(call: Caller) -> None:
    sites = table(2)[["latitude", "longitude", "species_code", "planting_method"]]
    expected = call("predict_table", sites)
    roles = ("latitude", "longitude", "species_code", "planting_method")
    for names in (range(4), np.arange(4), pd.date_range("2026-11-29", periods=4)):
        numbered = sites.set_axis(names, axis="columns")
        answered = call("predict_table", numbered, **dict(zip(roles, numbered.columns, strict=True)))
        assert answered["survival_5"].tolist() == expected["survival_5"].tolist()
    results = call("predict_many", [row for _, row in sites.iterrows()], horizons=[5])
    survival = [result["predictions"][0]["survival_probability"] for result in results]
    assert survival == pytest.approx(expected["survival_5"].tolist(), abs=1e-4)


def test_an_id_column_that_the_units_lack_is_named_with_those_they_have(call: Caller) -> None:
    with pytest.raises(
        errors.InvalidRequestError, match=r"'stand' for id_column is missing\. The columns are 'geometry'"
    ):
        call("plan", **METHODS["plan"], id_column="stand", url=NOBODY)
