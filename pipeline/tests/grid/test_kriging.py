import numpy as np
import pytest

from pipeline.grid.kriging import Variogram, ordinary, simple, universal

RNG = np.random.default_rng(7)
XYZ = np.column_stack([RNG.uniform(0, 100, (200, 2)), RNG.uniform(0, 2000, 200)])
EXACT = Variogram(range_km=30, nugget=0.0, km_per_100m=1.0, neighbours=20)


def test_without_nugget_kriging_reproduces_the_data_exactly():
    values = RNG.normal(size=200)
    assert ordinary(XYZ, values, XYZ, EXACT) == pytest.approx(values, abs=1e-6)


def test_a_trend_along_the_drift_is_extrapolated_beyond_the_data():
    drift = XYZ[:, 2:] / 1000
    values = 3.0 - 6.5 * drift[:, 0]
    target = np.array([[50.0, 50.0, 3000.0]])
    noisy = Variogram(range_km=30, nugget=0.5, km_per_100m=1.0, neighbours=40)
    assert universal(XYZ, drift, values, target, np.array([[3.0]]), noisy) == pytest.approx([-16.5], abs=1e-3)


def test_a_constant_drift_does_not_change_predictions_beyond_rounding():
    flat = np.ones((200, 1))
    values = RNG.normal(size=200)
    target = RNG.uniform(0, 100, (5, 3))
    assert universal(XYZ, flat, values, target, np.ones((5, 1)), EXACT) == pytest.approx(
        ordinary(XYZ, values, target, EXACT), abs=1e-6
    )


def test_far_from_data_simple_kriging_is_zero_and_ordinary_a_mean():
    values = 5.0 + RNG.normal(size=200)
    far = np.array([[5000.0, 5000.0, 0.0]])
    assert simple(XYZ, values, far, EXACT) == pytest.approx([0.0], abs=1e-9)
    assert values.min() < ordinary(XYZ, values, far, EXACT)[0] < values.max()


def test_data_within_the_exclusion_distance_have_no_weight_at_any_elevation():
    values = np.zeros(200)
    values[0] = 1e6
    near = XYZ[:1] + np.array([0.5, 0.5, 900.0])
    assert ordinary(XYZ, values, near, EXACT)[0] > 1
    apart = np.linalg.norm(XYZ[1:, :2] - near[0, :2], axis=1)
    assert (apart > 0.8).all()
    assert ordinary(XYZ, values, near, EXACT, exclude_km=0.8)[0] == pytest.approx(0.0, abs=1e-6)
