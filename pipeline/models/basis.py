"""Piecewise-linear functions on equally spaced knots, as penalised splines use them (Eilers and Marx 1996)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

KNOTS = 24
MIN_LOGGED = np.float32(1e-3)


@dataclass(frozen=True)
class Knots:
    """First knot and spacing, float32 [features], on the logarithm where `logarithmic`, bool [features]."""

    start: np.ndarray
    step: np.ndarray
    logarithmic: np.ndarray

    @classmethod
    def spanning(
        cls, features: np.ndarray, logarithmic: np.ndarray, reach: Sequence[tuple[float, float] | None] | None = None
    ) -> "Knots":
        """Return knots from the 0.2 to the 99.8 percentile of each feature, or over its `reach` where it has one.

        Beyond the knots effects are constant.
        """
        low, high = np.quantile(_scaled(features, logarithmic), (0.002, 0.998), axis=0)
        for index, ends in enumerate(reach or ()):
            if ends is not None:
                low[index], high[index] = np.log(ends) if logarithmic[index] else ends
        return cls(low.astype(np.float32), ((high - low) / (KNOTS - 1)).astype(np.float32), logarithmic)

    def values(self, feature: int) -> np.ndarray:
        """Return the values [knots] of a feature at its knots, in its unit."""
        scaled = self.start[feature] + self.step[feature] * np.arange(KNOTS)
        return np.exp(scaled) if self.logarithmic[feature] else scaled

    def locate(self, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return interval index int64 and fraction float32 in [0, 1], both [rows, features]."""
        position = np.clip(
            (_scaled(features, self.logarithmic) - self.start) / self.step, np.float32(0), np.float32(KNOTS - 1)
        )
        interval = np.minimum(np.floor(position), np.float32(KNOTS - 2))
        return interval.astype(np.int64), position - interval

    def interpolate(self, curves: np.ndarray, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return the values [rows, features, columns] of curves [species, features, knots, columns]."""
        interval, fraction = self.locate(features)
        which = np.arange(features.shape[1])
        here = curves[species[:, None], which, interval]
        following = curves[species[:, None], which, interval + 1]
        return here + fraction[:, :, None] * (following - here)

    def slopes(self, curves: np.ndarray, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return slopes [rows, features, columns] by unit of the feature, beyond the knots as in the last interval."""
        interval, _ = self.locate(features)
        which = np.arange(features.shape[1])
        rise = curves[species[:, None], which, interval + 1] - curves[species[:, None], which, interval]
        unit = self.step * np.where(self.logarithmic, np.maximum(features, MIN_LOGGED), np.float32(1))
        return rise / unit[:, :, None]

    def hats(self, features: np.ndarray) -> sparse.csr_matrix:
        """Return the basis as float64 [rows, features * KNOTS]; a row has two entries per feature that sum to one."""
        interval, fraction = self.locate(features)
        rows, count = features.shape
        first = interval + np.arange(count) * KNOTS
        columns = np.stack([first, first + 1], axis=2).reshape(rows, -1)
        values = np.stack([1.0 - fraction, fraction], axis=2).astype(np.float64).reshape(rows, -1)
        pointer = np.arange(rows + 1) * columns.shape[1]
        return sparse.csr_matrix((values.ravel(), columns.ravel(), pointer), shape=(rows, count * KNOTS))


def _scaled(features: np.ndarray, logarithmic: np.ndarray) -> np.ndarray:
    return np.where(logarithmic, np.log(np.maximum(features, MIN_LOGGED)), features)
