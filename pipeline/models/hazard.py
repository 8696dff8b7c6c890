"""A fitted model of one method: additive hazard logits, survival, and exact contributions of the features."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from pipeline.grid.arrow_file import Grid
from pipeline.models.basis import KNOTS, Knots
from pipeline.models.features import FEATURE_NAMES
from pipeline.models.fit import DEPARTURE_SMOOTHING, METHOD_SMOOTHING, SpeciesCounts, fit_period
from pipeline.outcomes.periods import HORIZONS, PeriodCounts
from pipeline.outcomes.species import species_codes

# Gauss-Legendre on [0, 1]. What so few nodes leave of survival - baseline is shared out over the features: see
# `contributions`.
QUADRATURE_NODES = 6
# Where no feature has an effect there is nothing to share; this avoids a division by zero.
SMALLEST_TOTAL = np.float32(1e-30)
# Tables are rounded so that last-bit differences between builds of a linear algebra library do not change the files.
DECIMALS = 5


def quadrature() -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(QUADRATURE_NODES)
    return (nodes + 1) / 2, weights / 2


@dataclass(frozen=True)
class HazardModel:
    """Intercepts [species, periods] and curves [species, features, knots, periods], logits of a period's hazard.

    Curves average zero over the species' native training sites, so that the intercept alone is its average site.
    """

    knots: Knots
    intercepts: np.ndarray
    curves: np.ndarray

    def feature_logits(self, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return [rows, features, periods] for float32 features [rows, features] and species indices [rows]."""
        return self.knots.interpolate(self.curves, features, species)

    def survival(self, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return survival probabilities [rows, horizons]."""
        logits = self.intercepts[species] + self.feature_logits(features, species).sum(axis=1)
        return np.cumprod(expit(-logits), axis=1)

    def baseline(self, species: np.ndarray) -> np.ndarray:
        """Return the survival [rows, horizons] of the species' average site."""
        return np.cumprod(expit(-self.intercepts[species]), axis=1)

    def contributions(self, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return [rows, horizons, features], summing to survival - baseline.

        The predictor is moved in a straight line from the average site to the site; the contribution of a feature is
        the change in survival due to its share of that move (the integrated gradient of Sundararajan et al. 2017, or
        the Aumann-Shapley value, of the additive predictor). The integrals are sums over the nodes of a quadrature;
        their error, which is known because survival and baseline are, is shared out in proportion to the magnitudes
        of the contributions: the sum is exact, and while the error is smaller than the magnitudes together, every
        contribution keeps its sign.
        """
        logits = self.feature_logits(features, species)
        total, start = logits.sum(axis=1), self.intercepts[species]
        weights = np.zeros((len(features), len(HORIZONS), len(HORIZONS)))
        for node, weight in zip(*quadrature(), strict=True):
            hazard = expit(start + node * total)
            survival = np.cumprod(1 - hazard, axis=1)
            weights += weight * survival[:, :, None] * hazard[:, None, :]
        integrals = -np.einsum("nhp,nfp->nhf", np.tril(weights), logits)
        magnitudes = np.abs(integrals)
        error = self.survival(features, species) - self.baseline(species) - integrals.sum(axis=2)
        return integrals + magnitudes * (error / np.maximum(magnitudes.sum(axis=2), SMALLEST_TOTAL))[:, :, None]


def fit_model(grid: Grid, counts: PeriodCounts, knots: Knots, reference: HazardModel | None = None) -> HazardModel:
    """Fit all periods of a method, as departures from a reference model if one is given.

    Departures let a method with few trees use what is known of a species from the other, and keep the difference
    between the methods, which callers compare, smooth.
    """
    smoothing = METHOD_SMOOTHING if reference is None else DEPARTURE_SMOOTHING
    hats = knots.hats(grid.features(FEATURE_NAMES))
    shape = (len(species_codes()), len(FEATURE_NAMES), KNOTS, len(HORIZONS))
    intercepts = np.zeros((shape[0], shape[3])) if reference is None else reference.intercepts.copy()
    curves = np.zeros(shape) if reference is None else reference.curves.copy()
    planted = np.unique(counts.species)
    for period in range(len(HORIZONS)):
        data = []
        for index in planted:
            of = counts.species == index
            basis = hats[counts.point[of]]
            known = intercepts[index, period] + basis @ curves[index, :, :, period].ravel()
            data.append(SpeciesCounts(basis, counts.at_risk[of, period], counts.died[of, period], known))
        shared, own = fit_period(data, smoothing)
        # A species without trees gets the shared curves.
        fitted = np.tile(shared, (shape[0], 1))
        fitted[planted] = own
        intercepts[:, period] += fitted[:, 0]
        curves[..., period] += fitted[:, 1:].reshape(shape[:3])
    return _centred(grid, hats, counts, knots, intercepts, curves)


def fit_methods(grid: Grid, counts: dict[str, PeriodCounts], knots: Knots) -> dict[str, HazardModel]:
    """Fit a model of each method in `counts`, in its order: the first alone, the others as departures from it."""
    models: dict[str, HazardModel] = {}
    for method, trees in counts.items():
        models[method] = fit_model(grid, trees, knots, next(iter(models.values()), None))
    return models


def average_sites(grid: Grid, counts: PeriodCounts) -> np.ndarray:
    """Return the mean features [species, features] over each species' native training sites, whose intercept it is."""
    features = grid.features(FEATURE_NAMES).astype(np.float64)
    sites = (_native_sites(grid, counts, species) for species in range(len(species_codes())))
    return np.stack([np.average(features[points], axis=0, weights=trees) for points, trees in sites])


def _native_sites(grid: Grid, counts: PeriodCounts, species: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the points in a species' native range where it was planted, and the trees there, both [rows].

    Without native trees: all points where it was planted; without any trees: all points of its range.
    """
    native, of = grid.in_range(species), counts.species == species
    if not of.any():
        return np.flatnonzero(native), np.ones(native.sum())
    inside = of & native[counts.point]
    chosen = inside if inside.any() else of
    return counts.point[chosen], counts.at_risk[chosen, 0]


def _centred(grid, hats, counts, knots, intercepts, curves) -> HazardModel:
    """Move each curve's mean over the species' native training trees into the intercept."""
    for index in range(len(intercepts)):
        points, trees = _native_sites(grid, counts, index)
        basis = hats[points]
        occupancy = (basis.T @ trees / trees.sum()).reshape(len(FEATURE_NAMES), KNOTS)
        means = np.einsum("fk,fkp->fp", occupancy, curves[index])
        curves[index] -= means[:, None, :]
        intercepts[index] += means.sum(axis=0)
    return HazardModel(knots, np.round(intercepts, DECIMALS), np.round(curves, DECIMALS))
