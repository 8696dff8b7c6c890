"""A fitted model of one method: additive hazard logits, survival, and exact contributions of the features."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from pipeline.hazard_basis import KNOTS, Knots
from pipeline.hazard_features import FEATURE_NAMES, HORIZONS
from pipeline.hazard_fit import Smoothing, SpeciesCounts, fit_period
from pipeline.hazard_grid import Grid
from pipeline.outcomes_periods import PeriodCounts
from pipeline.species import species_codes

# Gauss-Legendre on [0, 1]: with this many nodes the sum of contributions misses survival - baseline by < 1e-5.
QUADRATURE_NODES = 12
# Tables are rounded so that a last-bit difference between builds of a linear algebra library does not reach a file.
DECIMALS = 5


def quadrature() -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(QUADRATURE_NODES)
    return (nodes + 1) / 2, weights / 2


@dataclass(frozen=True)
class HazardModel:
    """Intercepts [species, periods] and curves [species, features, knots, periods], logits of a period's hazard.

    Curves average zero over the species' training sites, so that the intercept alone is its average site.
    """

    knots: Knots
    intercepts: np.ndarray
    curves: np.ndarray

    def feature_logits(self, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return [rows, features, periods] for float32 features [rows, features] and species indices [rows]."""
        interval, fraction = self.knots.locate(features)
        which = np.arange(features.shape[1])
        here = self.curves[species[:, None], which, interval]
        following = self.curves[species[:, None], which, interval + 1]
        return here + fraction[:, :, None] * (following - here)

    def survival(self, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return survival probabilities [rows, horizons]."""
        logits = self.intercepts[species] + self.feature_logits(features, species).sum(axis=1)
        return np.cumprod(expit(-logits), axis=1)

    def baseline(self, species: np.ndarray) -> np.ndarray:
        """Return the survival [rows, horizons] of the species' average site."""
        return np.cumprod(expit(-self.intercepts[species]), axis=1)

    def contributions(self, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return [rows, horizons, features], summing to survival - baseline.

        The predictor is walked in a straight line from the average site to the site; each feature is credited with
        what survival changes along its share of the way (the integrated gradient of Sundararajan et al. 2017, or the
        Aumann-Shapley value, of the additive predictor).
        """
        logits = self.feature_logits(features, species)
        total, start = logits.sum(axis=1), self.intercepts[species]
        weights = np.zeros((len(features), len(HORIZONS), len(HORIZONS)))
        for node, weight in zip(*quadrature(), strict=True):
            hazard = expit(start + node * total)
            survival = np.cumprod(1 - hazard, axis=1)
            weights += weight * survival[:, :, None] * hazard[:, None, :]
        return -np.einsum("nhp,nfp->nhf", np.tril(weights), logits)


def fit_model(grid: Grid, counts: PeriodCounts, knots: Knots, smoothing: Smoothing) -> HazardModel:
    """Fit all periods of a method."""
    hats = knots.hats(grid.features(FEATURE_NAMES))
    rows = [np.flatnonzero(counts.species == index) for index in range(len(species_codes()))]
    intercepts, curves = [], []
    for period in range(len(HORIZONS)):
        data = [
            SpeciesCounts(hats[counts.point[of]], counts.at_risk[of, period], counts.died[of, period]) for of in rows
        ]
        level, curve = fit_period(data, smoothing)
        intercepts.append(level)
        curves.append(curve.reshape(len(rows), len(FEATURE_NAMES), KNOTS))
    return _centred(hats, counts, rows, knots, np.stack(intercepts, axis=-1), np.stack(curves, axis=-1))


def _centred(hats, counts, rows, knots, intercepts, curves) -> HazardModel:
    """Move each curve's mean over the species' training trees into the intercept."""
    for index, of in enumerate(rows):
        # A species nobody planted has no sites of its own: its average site is the average of the grid.
        basis = hats[counts.point[of]] if len(of) else hats
        trees = counts.at_risk[of, 0] if len(of) else np.ones(hats.shape[0])
        occupancy = (basis.T @ trees / trees.sum()).reshape(len(FEATURE_NAMES), KNOTS)
        means = np.einsum("fk,fkp->fp", occupancy, curves[index])
        curves[index] -= means[:, None, :]
        intercepts[index] += means.sum(axis=0)
    return HazardModel(knots, np.round(intercepts, DECIMALS), np.round(curves, DECIMALS))
