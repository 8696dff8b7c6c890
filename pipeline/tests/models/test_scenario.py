import numpy as np
import pytest

from pipeline.models.features import FEATURE_NAMES
from pipeline.models.scenario import changed_climate


@pytest.fixture(scope="module")
def points(whole_grid):
    return np.arange(0, len(whole_grid.latitude), 5000)


def test_no_change_gives_the_features_of_the_grid(whole_grid, points):
    assert np.array_equal(changed_climate(whole_grid, points), whole_grid.features(FEATURE_NAMES)[points])


def test_a_warming_moves_temperatures_and_the_vpd_at_the_same_relative_humidity_and_keeps_the_dew_point(
    whole_grid, points
):
    today = dict(zip(FEATURE_NAMES, changed_climate(whole_grid, points).T, strict=True))
    warmer = dict(zip(FEATURE_NAMES, changed_climate(whole_grid, points, 3.0, -10.0).T, strict=True))
    assert warmer["temperature_min_january"] == pytest.approx(today["temperature_min_january"] + 3, abs=1e-4)
    assert warmer["precipitation_annual"] == pytest.approx(today["precipitation_annual"] * 0.9, rel=1e-5)
    # Near 15 C the saturation pressure rises by 6.3 to 6.8 % a degree.
    ratio = warmer["vpd_max"] / today["vpd_max"]
    assert ratio.min() > 1.18
    assert ratio.max() < 1.27
    unchanged = set(FEATURE_NAMES) - {"temperature_min_january", "precipitation_annual", "vpd_max"}
    assert "dew_point" in unchanged
    for name in unchanged:
        assert np.array_equal(warmer[name], today[name])
