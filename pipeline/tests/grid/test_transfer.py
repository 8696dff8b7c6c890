import numpy as np
import pytest

from pipeline.grid.columns.transfer import Transfer, one_degree_blocks

RNG = np.random.default_rng(11)
PREDICTORS = RNG.normal(size=(400, 2))
XYZ = np.column_stack([RNG.uniform(0, 200, (400, 2)), np.zeros(400)])
TREND = 4.0 + PREDICTORS @ [2.0, -1.0]
BUMP = np.exp(-(((XYZ[:, :2] - 100) / 60) ** 2).sum(axis=1))


def test_far_from_the_data_only_the_regression_remains():
    transfer = Transfer(PREDICTORS, TREND + BUMP, XYZ)
    far = XYZ + np.array([3000.0, 0.0, 0.0])
    assert transfer.predict(PREDICTORS, far) == pytest.approx(transfer.trend(PREDICTORS), abs=1e-6)


def test_near_the_data_kriged_residuals_correct_the_regression():
    transfer = Transfer(PREDICTORS[::2], (TREND + BUMP)[::2], XYZ[::2])
    held_out = slice(1, None, 2)
    error = transfer.predict(PREDICTORS[held_out], XYZ[held_out]) - (TREND + BUMP)[held_out]
    trend_error = transfer.trend(PREDICTORS[held_out]) - (TREND + BUMP)[held_out]
    assert error.std() < 0.5 * trend_error.std()


def test_blocks_are_cells_of_one_degree():
    blocks = one_degree_blocks(np.array([45.1, 45.9, 46.1, 45.1]), np.array([-120.1, -120.9, -120.1, -121.1]))
    assert blocks[0] == blocks[1]
    assert len(set(blocks)) == 3
