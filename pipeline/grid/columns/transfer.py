"""Transfers a column that only one state's plots have to the other: ridge regression plus its kriged residuals.

Far from the plots that have the column the kriged residual tends to zero and the regression alone remains, so its
predictors must mean the same on both sides of the border.
"""

import numpy as np

from pipeline.grid.kriging import CellKriging, Variogram

_RIDGE = 1.0
_VARIOGRAM = Variogram(range_km=50, nugget=0.3, km_per_100m=2.0, neighbours=48)


class Transfer:
    """Fitted on predictors [N, Q], values [N] and places [N, 3] (km, km, m)."""

    def __init__(self, predictors, values, xyz):
        self._centre, self._scale = predictors.mean(axis=0), predictors.std(axis=0)
        z = (predictors - self._centre) / self._scale
        self._mean = values.mean()
        normal = z.T @ z + _RIDGE * np.eye(z.shape[1])
        self._slopes = np.linalg.solve(normal, z.T @ (values - self._mean))
        self._xyz, self._residuals = xyz, values - self.trend(predictors)

    def trend(self, predictors):
        """Return the regression alone, [M]."""
        return self._mean + (predictors - self._centre) / self._scale @ self._slopes

    def residuals(self, centres):
        """Return the kriging of the residuals around cells with centres [C, 3]."""
        return CellKriging(self._xyz, None, self._residuals, centres, _VARIOGRAM)
