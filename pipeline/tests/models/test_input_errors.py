import math
import re

import numpy as np
import pytest

from pipeline.grid.arrow_file import read_grid
from pipeline.grid.data_files import DATA, GRID
from pipeline.models.features import FEATURE_NAMES
from pipeline.models.input_errors import INPUT_ERRORS, MATCH_DISTANCE_KM, standard_errors

CHECKS = ("with the terrain model's elevation at the site", "single plots left out", "as answered")
"""The checks of data/README.md that give the error at the point; the first that a column has is used."""


def stated_error(column, check):
    """The error of a check in data/README.md, both sides together; a share of the mean if the errors are relative."""
    line = re.search(rf"^- `{column}`: (.*)$", (DATA / "README.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
    sentence = re.search(rf"RMSE {check}: west .*?\); east .*?\)\.", line)
    if sentence is None:
        return None
    relative = INPUT_ERRORS[column].relative
    figure = r"{side} [\d.]+ [^()]*\(([\d.]+) %\)" if relative else r"{side} ([\d.]+) [^()]*?(?:\([\d.]+ %\))?"
    pattern = figure + r", bias -?[\d.]+ \((\d+) places\)"
    sides = [re.search(pattern.replace("{side}", side), sentence[0]).groups() for side in ("west", "east")]
    places = sum(int(count) for _, count in sides)
    pooled = math.sqrt(sum(float(error) ** 2 * int(count) for error, count in sides) / places)
    return pooled / 100 if relative else pooled


def first_stated(column):
    return next((error for check in CHECKS if (error := stated_error(column, check))), None)


def test_every_feature_has_an_error():
    assert list(INPUT_ERRORS) == FEATURE_NAMES


@pytest.mark.parametrize("column", [column for column in FEATURE_NAMES if first_stated(column)])
def test_the_error_at_the_point_is_that_of_the_grid(column):
    assert INPUT_ERRORS[column].entry()["at_point"] == pytest.approx(first_stated(column), rel=0.015)


def test_the_elevation_as_answered_has_the_error_of_the_grid():
    entry = INPUT_ERRORS["elevation"].entry()
    answered = math.hypot(entry["at_point"], entry["per_km"] * MATCH_DISTANCE_KM)
    assert answered == pytest.approx(stated_error("elevation", "as answered"), rel=0.015)


@pytest.mark.parametrize("column", [name for name, error in INPUT_ERRORS.items() if 0 < error.lapse_per_km < 100])
def test_the_error_of_the_climate_grows_with_distance_as_the_elevation_and_the_lapse_do(column):
    lapse = read_grid(GRID).columns[f"lapse_{column}"]
    expected = np.sqrt(np.mean(np.square(lapse, dtype=float))) * INPUT_ERRORS["elevation"].entry()["per_km"] / 1000
    assert INPUT_ERRORS[column].entry()["per_km"] == pytest.approx(expected, rel=0.015)


def test_standard_errors_are_those_of_each_point_in_the_unit_of_the_feature():
    grid = read_grid(GRID)
    points = np.arange(0, len(grid.latitude), 10_000)
    errors = dict(zip(FEATURE_NAMES, standard_errors(grid, points).T, strict=True))
    assert (errors["soil_water_capacity"] == grid.columns["soil_water_error"][points]).all()
    share = errors["precipitation_annual"] / grid.columns["precipitation_annual"][points]
    assert share == pytest.approx(INPUT_ERRORS["precipitation_annual"].as_answered())
    assert errors["soil_clay"] == pytest.approx(INPUT_ERRORS["soil_clay"].at_point)
