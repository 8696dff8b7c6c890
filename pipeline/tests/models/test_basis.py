import numpy as np
import pytest

from pipeline.models.basis import KNOTS, Knots


@pytest.fixture
def features():
    generator = np.random.default_rng(0)
    return np.column_stack([generator.normal(10, 3, 5000), generator.lognormal(7, 0.5, 5000)]).astype(np.float32)


@pytest.fixture
def knots(features):
    return Knots.spanning(features, np.array([False, True]))


def test_hats_of_each_feature_sum_to_one(knots, features):
    sums = knots.hats(features).toarray().reshape(-1, 2, KNOTS).sum(axis=2)
    assert sums == pytest.approx(np.ones_like(sums), abs=1e-6)


def test_hats_reproduce_a_straight_line_between_the_outer_knots(knots, features):
    inside = np.clip(features[:, 0], knots.start[0], knots.start[0] + (KNOTS - 1) * knots.step[0])
    line = np.concatenate([knots.start[0] + np.arange(KNOTS) * knots.step[0], np.zeros(KNOTS)])
    assert knots.hats(features) @ line == pytest.approx(inside, abs=1e-3)


def test_a_logarithmic_feature_is_linear_in_its_logarithm(knots, features):
    scaled = np.log(features[:, 1])
    inside = np.clip(scaled, knots.start[1], knots.start[1] + (KNOTS - 1) * knots.step[1])
    line = np.concatenate([np.zeros(KNOTS), knots.start[1] + np.arange(KNOTS) * knots.step[1]])
    assert knots.hats(features) @ line == pytest.approx(inside, abs=1e-3)


def test_beyond_the_outer_knots_effects_are_constant(knots):
    far = np.array([[-1000, 0], [1000, 1e9]], dtype=np.float32)
    interval, fraction = knots.locate(far)
    assert interval.tolist() == [[0, 0], [KNOTS - 2, KNOTS - 2]]
    assert fraction.tolist() == [[0, 0], [1, 1]]
