import numpy as np
import pytest

from pipeline.grid.columns.transfer import Transfer

RNG = np.random.default_rng(11)
PREDICTORS = RNG.normal(size=(400, 2))
XYZ = np.column_stack([RNG.uniform(0, 200, (400, 2)), np.zeros(400)])
TREND = 4.0 + PREDICTORS @ [2.0, -1.0]
BUMP = np.exp(-(((XYZ[:, :2] - 100) / 60) ** 2).sum(axis=1))


def test_far_from_the_data_only_the_regression_remains():
    transfer = Transfer(PREDICTORS, TREND + BUMP, XYZ)
    far = XYZ + np.array([3000.0, 0.0, 0.0])
    residual = transfer.residuals(far).at(np.arange(len(far)), far)
    assert residual == pytest.approx(np.zeros(len(far)), abs=1e-6)


def test_near_the_data_kriged_residuals_correct_the_regression():
    transfer = Transfer(PREDICTORS[::2], (TREND + BUMP)[::2], XYZ[::2])
    held_out = slice(1, None, 2)
    places = XYZ[held_out]
    residual = transfer.residuals(places).at(np.arange(len(places)), places)
    error = transfer.trend(PREDICTORS[held_out]) + residual - (TREND + BUMP)[held_out]
    trend_error = transfer.trend(PREDICTORS[held_out]) - (TREND + BUMP)[held_out]
    assert error.std() < 0.5 * trend_error.std()
