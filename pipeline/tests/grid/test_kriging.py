import numpy as np
import pytest

from pipeline.grid.kriging import CellKriging, Variogram, cell_centres

RNG = np.random.default_rng(7)
XYZ = np.column_stack([RNG.uniform(0, 100, (200, 2)), RNG.uniform(0, 2000, 200)])
NOTHING = np.empty((200, 0))
EXACT = Variogram(range_km=30, nugget=0.0, km_per_100m=1.0, neighbours=20)


def alone(drift, values, targets, target_drift, variogram, leave_own_out=False):
    """Predict each target from a system of its own."""
    kriging = CellKriging(XYZ, drift, values, targets, variogram, leave_own_out)
    return kriging.at(np.arange(len(targets)), targets, target_drift)


def test_without_nugget_kriging_reproduces_the_data_exactly():
    values = RNG.normal(size=200)
    assert alone(NOTHING, values, XYZ, NOTHING, EXACT) == pytest.approx(values, abs=1e-6)


def test_a_trend_along_the_drift_is_extrapolated_beyond_the_data():
    drift = XYZ[:, 2:] / 1000
    values = 3.0 - 6.5 * drift[:, 0]
    target = np.array([[50.0, 50.0, 3000.0]])
    noisy = Variogram(range_km=30, nugget=0.5, km_per_100m=1.0, neighbours=40)
    assert alone(drift, values, target, np.array([[3.0]]), noisy) == pytest.approx([-16.5], abs=1e-3)


def test_a_constant_drift_does_not_change_predictions_beyond_rounding():
    values = RNG.normal(size=200)
    target = RNG.uniform(0, 100, (5, 3))
    assert alone(np.ones((200, 1)), values, target, np.ones((5, 1)), EXACT) == pytest.approx(
        alone(NOTHING, values, target, np.empty((5, 0)), EXACT), abs=1e-6
    )


def test_far_from_data_a_field_of_mean_zero_is_zero_and_one_of_unknown_mean_a_mean():
    values = 5.0 + RNG.normal(size=200)
    far = np.array([[5000.0, 5000.0, 0.0]])
    assert alone(None, values, far, None, EXACT) == pytest.approx([0.0], abs=1e-9)
    assert values.min() < alone(NOTHING, values, far, np.empty((1, 0)), EXACT)[0] < values.max()


def test_a_datum_left_out_has_no_weight_in_its_own_prediction():
    values = RNG.normal(size=200)
    raised = values.copy()
    raised[17] += 1e6
    left_out, with_it = (alone(NOTHING, v, XYZ, NOTHING, EXACT, leave_own_out=True)[17] for v in (values, raised))
    assert left_out == with_it


def test_targets_of_a_cell_get_nearly_what_a_system_of_their_own_gives():
    values = np.sin(XYZ[:, 0] / 30) + XYZ[:, 2] / 2000
    targets = np.column_stack([RNG.uniform(40, 44, (30, 2)), RNG.uniform(500, 900, 30)])
    cell = np.zeros(30, dtype=int)
    wide = Variogram(range_km=30, nugget=0.05, km_per_100m=1.0, neighbours=60)
    together = CellKriging(XYZ, NOTHING, values, cell_centres(targets, cell, 1), wide).at(
        cell, targets, np.empty((30, 0))
    )
    own = alone(NOTHING, values, targets, np.empty((30, 0)), wide)
    assert together == pytest.approx(own, abs=0.05)


def test_a_further_coordinate_adds_to_the_distance_as_elevation_does():
    values = XYZ[:, 2] / 2000 + RNG.normal(0, 0.1, 200)
    targets, cell = XYZ[:20] + 3.0, np.arange(20)
    of_four = CellKriging(_with_fourth(XYZ), NOTHING, values, _with_fourth(targets), EXACT).at(
        cell, _with_fourth(targets), np.empty((20, 0))
    )
    assert of_four == pytest.approx(alone(NOTHING, values, targets, np.empty((20, 0)), EXACT))


def _with_fourth(places):
    return np.column_stack([places * [1.0, 1.0, 0.0], places[:, 2] * EXACT.km_per_100m / 100])
