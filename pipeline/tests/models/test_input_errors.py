import math
import re

import pytest

from pipeline.grid.data_files import DATA
from pipeline.models.features import FEATURE_NAMES
from pipeline.models.input_errors import INPUT_ERRORS, MATCH_DISTANCE_KM

ANSWERED = "as answered"
AT_THE_SITE = "with the (?:site's own elevation|terrain model's elevation at the site)"
_FIGURE = r"{side} ([\d.]+) [^()]*?(?:\([\d.]+ %\))?, bias -?[\d.]+ \((\d+) places\)"


def stated_error(column, check):
    """The error of a check in data/README.md, both sides together; None if the column has none."""
    line = re.search(rf"^- `{column}`: (.*)$", (DATA / "README.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
    sentence = re.search(rf"RMSE {check}: west .*?\); east .*?\)\.", line)
    if sentence is None:
        return None
    sides = [re.search(_FIGURE.format(side=side), sentence[0]).groups() for side in ("west", "east")]
    places = sum(int(count) for _, count in sides)
    return math.sqrt(sum(float(error) ** 2 * int(count) for error, count in sides) / places)


def test_every_feature_has_an_error():
    assert list(INPUT_ERRORS) == FEATURE_NAMES


@pytest.mark.parametrize("column", [column for column in FEATURE_NAMES if stated_error(column, ANSWERED)])
def test_the_errors_as_answered_and_at_the_own_elevation_are_those_of_the_grid(column):
    entry = INPUT_ERRORS[column].entry()
    answered = math.hypot(entry["at_point"], entry["per_km"] * MATCH_DISTANCE_KM)
    assert answered == pytest.approx(stated_error(column, ANSWERED), rel=0.01)
    at_point = stated_error(column, AT_THE_SITE) or stated_error(column, ANSWERED)
    assert entry["at_point"] == pytest.approx(at_point, rel=0.01)
