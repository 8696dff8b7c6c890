"""A fitted model of one method: additive hazard logits, survival, and exact contributions of the features."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse
from scipy.special import expit

from pipeline.grid.arrow_file import Grid
from pipeline.models.basis import KNOTS, Knots
from pipeline.models.features import FEATURE_NAMES, FEATURES, with_practice
from pipeline.models.fit import DEPARTURE_SMOOTHING, METHOD_SMOOTHING, SpeciesCounts, fit_period
from pipeline.models.shape import Process, continued, is_fitted, of_known_sign, with_given_curves
from pipeline.outcomes.intercepts import averaging
from pipeline.outcomes.periods import HORIZONS, METHODS, PeriodCounts
from pipeline.outcomes.practice import DEFAULTS, LINEAR_PRACTICES, practice_slopes
from pipeline.outcomes.simulation import Truth
from pipeline.outcomes.species import species_codes
from pipeline.outcomes.world import World

# Gauss-Legendre on [0, 1]. `contributions` distributes the error of so few nodes, relative to survival - baseline,
# over the features.
QUADRATURE_NODES = 6
# Avoids a division by zero if no feature has an effect.
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

    Curves average zero over the species' native training sites, so that the intercept alone is its average site under
    the average practice. `practice` [species, linear practices, periods] has the slopes of `LINEAR_PRACTICES`. If
    `sown`, survival is that of a spot with `seeds_per_spot` seeds.
    """

    knots: Knots
    intercepts: np.ndarray
    curves: np.ndarray
    practice: np.ndarray
    sown: bool

    def feature_logits(self, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return [rows, inputs without the seeds, periods] for float32 features [rows, inputs] and species [rows].

        Without a practice the features are those of the grid, and the practice is the default.
        """
        inputs, count = with_practice(features), self.curves.shape[1]
        departures = inputs[:, count : count + len(LINEAR_PRACTICES)] - DEFAULTS[: len(LINEAR_PRACTICES)]
        curves = self.knots.interpolate(self.curves, inputs[:, :count], species)
        return np.concatenate([curves, departures[:, :, None] * self.practice[species]], axis=1)

    def survival(self, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return survival probabilities [rows, horizons]."""
        usual = self._survival_of_default_seeds(features, species)
        return usual + self._seed_contributions(usual, features)

    def _survival_of_default_seeds(self, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        logits = self.intercepts[species] + self.feature_logits(features, species).sum(axis=1)
        return np.cumprod(expit(-logits), axis=1)

    def _seed_contributions(self, survival: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Return the change [rows, horizons] of survival by the seeds of a spot: all of n seeds die with chance p^n."""
        if not self.sown:
            return np.zeros_like(survival)
        ratio = with_practice(features)[:, -1:] / DEFAULTS[-1]
        dead = 1 - survival
        return np.where(ratio == 1, 0.0, dead - dead**ratio)

    def baseline(self, species: np.ndarray) -> np.ndarray:
        """Return the survival [rows, horizons] of the species' average site."""
        return np.cumprod(expit(-self.intercepts[species]), axis=1)

    def contributions(self, features: np.ndarray, species: np.ndarray) -> np.ndarray:
        """Return [rows, horizons, inputs], summing to survival - baseline.

        The predictor is moved in a straight line from the average site to the site; the contribution of a feature is
        the change in survival due to its share of that move (the integrated gradient of Sundararajan et al. 2017, or
        the Aumann-Shapley value, of the additive predictor). The integrals are sums over the nodes of a quadrature;
        their error, which is known because survival and baseline are, is shared out in proportion to the magnitudes
        of the contributions: the sum is exact, and while the error is smaller than the magnitudes together, every
        contribution keeps its sign.

        Seeds come last: their contribution is the change of survival from that of the default seeds.
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
        survival = self._survival_of_default_seeds(features, species)
        error = survival - self.baseline(species) - integrals.sum(axis=2)
        shared = integrals + magnitudes * (error / np.maximum(magnitudes.sum(axis=2), SMALLEST_TOTAL))[:, :, None]
        return np.concatenate([shared, self._seed_contributions(survival, features)[:, :, None]], axis=2)


def spanning_knots(grid: Grid) -> Knots:
    """Return the knots of the curves: over the grid, and as far beyond it as the features' reach."""
    logarithmic = np.array([feature.logarithmic for feature in FEATURES])
    return Knots.spanning(grid.features(FEATURE_NAMES), logarithmic, [feature.reach for feature in FEATURES])


def fit_model(
    grid: Grid,
    counts: PeriodCounts,
    knots: Knots,
    method: str,
    reference: HazardModel | None = None,
    process: Process | None = None,
) -> HazardModel:
    """Fit all periods of a method, as departures from a reference model if one is given.

    `process` has the curves of the simulation: of given features, and of the others beyond the climates of the grid.
    Without one these are fitted, and go on in a straight line.

    Departures let a method with few trees use what is known of a species from the other, and keep the difference
    between the methods, which callers compare, smooth.
    """
    smoothing = METHOD_SMOOTHING if reference is None else DEPARTURE_SMOOTHING
    hats = knots.hats(grid.features(FEATURE_NAMES))
    shape = (len(species_codes()), len(FEATURE_NAMES), KNOTS, len(HORIZONS))
    intercepts = np.zeros((shape[0], shape[3])) if reference is None else reference.intercepts.copy()
    curves = np.zeros(shape) if reference is None else reference.curves.copy()
    fitted_hats = hats
    if process is not None:
        curves = with_given_curves(curves, knots, process)
        fitted_hats = hats @ sparse.diags(is_fitted().repeat(KNOTS).astype(np.float64))
    planted = np.unique(counts.species)
    for period in range(len(HORIZONS)):
        data = []
        for index in planted:
            of = counts.species == index
            points = counts.point[of]
            known = intercepts[index, period] + hats[points] @ curves[index, :, :, period].ravel()
            data.append(SpeciesCounts(fitted_hats[points], counts.at_risk[of, period], counts.died[of, period], known))
        shared, own = fit_period(data, smoothing)
        # A species without trees gets the shared curves.
        fitted = np.tile(shared, (shape[0], 1))
        fitted[planted] = own
        intercepts[:, period] += fitted[:, 0]
        curves[..., period] += fitted[:, 1:].reshape(shape[:3])
    curves = continued(curves, knots, grid.features(FEATURE_NAMES), process)
    curves = of_known_sign(curves, _trees_by_knot(hats, counts))
    intercepts, curves = _centred(grid, hats, counts, intercepts, curves)
    return HazardModel(knots, intercepts, curves, shipped_practice(method), method != METHODS[0])


def fit_methods(
    grid: Grid, counts: dict[str, PeriodCounts], knots: Knots, truth: Truth | None = None
) -> dict[str, HazardModel]:
    """Fit a model of each method in `counts`, in its order: the first alone, the others as departures from it.

    Of the true process, if there is one, they have the given curves, and how the others go on beyond the grid.
    """
    models: dict[str, HazardModel] = {}
    for method, trees in counts.items():
        process = None if truth is None else partial(truth.averaged_curve, method)
        models[method] = fit_model(grid, trees, knots, method, next(iter(models.values()), None), process)
    return models


def shipped_practice(method: str) -> np.ndarray:
    """Return the slopes [species, linear practices, periods] of the practice: those of the central world.

    No table has a tree with its practice, so the sizes are the evidence's, averaged over the differences of sites.
    """
    world = World.central()
    slopes = [practice_slopes(species, world, method) for species in range(len(species_codes()))]
    return np.round(np.stack(slopes) * averaging(world.site_sd(method)), DECIMALS)


def _trees_by_knot(hats, counts: PeriodCounts) -> np.ndarray:
    """Return the trees [species, features, knots] of each species at each knot."""
    trees = []
    for index in range(len(species_codes())):
        of = counts.species == index
        trees.append((hats[counts.point[of]].T @ counts.at_risk[of, 0]).reshape(len(FEATURE_NAMES), KNOTS))
    return np.stack(trees)


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


def _centred(grid, hats, counts, intercepts, curves) -> tuple[np.ndarray, np.ndarray]:
    """Return intercepts and curves with each curve's mean over the species' native training trees in the intercept."""
    for index in range(len(intercepts)):
        points, trees = _native_sites(grid, counts, index)
        basis = hats[points]
        occupancy = (basis.T @ trees / trees.sum()).reshape(len(FEATURE_NAMES), KNOTS)
        means = np.einsum("fk,fkp->fp", occupancy, curves[index])
        curves[index] -= means[:, None, :]
        intercepts[index] += means.sum(axis=0)
    return np.round(intercepts, DECIMALS), np.round(curves, DECIMALS)
