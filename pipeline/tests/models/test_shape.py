import numpy as np
import pytest

from pipeline.models.basis import KNOTS
from pipeline.models.features import FEATURE_NAMES, FEATURES
from pipeline.models.hazard import spanning_knots
from pipeline.models.shape import continued, of_known_sign, with_given_curves

VPD = FEATURE_NAMES.index("vpd_max")
JANUARY = FEATURE_NAMES.index("temperature_min_january")


@pytest.fixture(scope="module")
def observed(whole_grid):
    return whole_grid.features(FEATURE_NAMES)


@pytest.fixture(scope="module")
def knots(whole_grid):
    return spanning_knots(whole_grid)


def curves_of(values):
    curves = np.zeros((2, len(FEATURES), KNOTS, 3))
    curves[:, VPD] = values[:, None]
    return curves


def process(species, feature, values):
    return np.repeat((values**2 * (species + 1))[:, None], 3, axis=1)


def test_knots_reach_as_far_as_a_changed_climate_needs(knots):
    assert knots.values(VPD)[[0, -1]] == pytest.approx((3, 30), rel=1e-5)
    assert knots.values(JANUARY)[[0, -1]] == pytest.approx((-25, 10), rel=1e-5)


def test_a_curve_follows_the_process_beyond_the_grid_and_is_unchanged_inside(knots, observed):
    values = knots.values(VPD)
    inside = (values >= np.quantile(observed[:, VPD], 0.002)) & (values <= np.quantile(observed[:, VPD], 0.998))
    found = continued(curves_of(np.sin(values)), knots, observed, process)
    assert found[1, VPD, inside, 0] == pytest.approx(np.sin(values[inside]))
    last = np.flatnonzero(inside)[-1]
    assert np.diff(found[1, VPD, last:, 0]) == pytest.approx(np.diff(2 * values[last:] ** 2))


def test_a_curve_without_a_process_continues_in_a_straight_line(knots, observed):
    values = knots.values(VPD)
    cut = np.clip(0.3 * values, None, 0.3 * np.quantile(observed[:, VPD], 0.998))
    found = continued(curves_of(cut), knots, observed, None)
    assert found[0, VPD, :, 1] == pytest.approx(0.3 * values, abs=1e-5)


def test_given_curves_equal_the_process(knots):
    found = with_given_curves(curves_of(np.ones(KNOTS)), knots, process)
    assert found[1, JANUARY, :, 2] == pytest.approx(2 * knots.values(JANUARY) ** 2)
    assert (found[:, VPD] == 1).all()


def test_a_curve_of_known_sign_never_falls_and_keeps_its_rising_parts(knots):
    rising = np.linspace(0, 1, KNOTS)
    noisy = rising + np.where(np.arange(KNOTS) % 2, 0.1, -0.1)
    trees = np.ones((2, len(FEATURES), KNOTS))
    assert of_known_sign(curves_of(rising), trees)[0, VPD, :, 0] == pytest.approx(rising)
    found = of_known_sign(curves_of(noisy), trees)[0, VPD, :, 0]
    assert (np.diff(found) >= 0).all()
    assert found.mean() == pytest.approx(noisy.mean())


def test_a_knot_without_trees_yields_to_those_with_trees():
    falls = np.zeros(KNOTS)
    falls[-1] = -1
    trees = np.ones((2, len(FEATURES), KNOTS))
    trees[:, :, -1] = 0
    assert of_known_sign(curves_of(falls), trees)[0, VPD, :, 0] == pytest.approx(0, abs=1e-4)
