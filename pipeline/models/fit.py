"""Fit the hazards of one period: an additive logit with one curve per feature, shared and varying by species.

A hierarchical generalised additive model (Pedersen et al. 2019, model GS) on P-splines with difference penalties
(Eilers and Marx 1996): species curves shrink to the shared curve, the shared curve to a constant. The penalised
likelihood is concave; Newton's method maximises it, with the species eliminated block by block.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.special import expit

from pipeline.models.basis import KNOTS

MAX_STEPS = 40
MAX_HALVINGS = 30
TOLERANCE = 1e-6
ROUNDING = 1e-12
FREE = 1e-6


@dataclass(frozen=True)
class Smoothing:
    """Penalties on the slope and the curvature of the shared curves and of the species' departures from them.

    They are a prior for the shape of a curve, whatever the number of trees. The values were chosen by the deviance on
    held-out blocks, among multiples of three to ten in both directions.
    """

    shared_slope: float
    shared_curvature: float
    species_slope: float
    species_curvature: float


# The departures of one method from another are smaller than the effects themselves.
METHOD_SMOOTHING = Smoothing(shared_slope=1.0, shared_curvature=50.0, species_slope=20.0, species_curvature=500.0)
DEPARTURE_SMOOTHING = Smoothing(
    shared_slope=3.0, shared_curvature=150.0, species_slope=600.0, species_curvature=15000.0
)
LEVEL_PENALTY = 0.05
INTERCEPT_PENALTY = 0.5
"""The level of a species departs from the shared one by a few logits at most; the shared level is free."""
CURVE_SLOPE, CURVE_CURVATURE = 1.0, 10.0
"""Penalties of `fit_curves`, whose values are free of noise."""


@dataclass(frozen=True)
class SpeciesCounts:
    """One species and period: basis [rows, coefficients]; trees at risk, trees that died, known logits [rows]."""

    basis: sparse.csr_matrix
    at_risk: np.ndarray
    died: np.ndarray
    offset: np.ndarray


def fit_period(species: list[SpeciesCounts], smoothing: Smoothing) -> tuple[np.ndarray, np.ndarray]:
    """Return the shared coefficients [1 + features * KNOTS], intercept first, and each species' own [species, ...]."""
    size = species[0].basis.shape[1] + 1
    designs = [sparse.hstack([np.ones((s.basis.shape[0], 1)), s.basis], format="csr") for s in species]
    own, common = _penalties(size, smoothing)
    shared = np.zeros(size)
    curves = np.zeros((len(species), size))
    cost = _penalised_deviance(species, designs, own, common, shared, curves)
    for _ in range(MAX_STEPS):
        step_shared, step_curves = _newton_step(species, designs, own, common, shared, curves)
        # A long first step from constant curves can overshoot; with few trees, so can later ones.
        scale = min(1.0, 4.0 / max(np.abs(step_curves).max(), 1e-12))
        for _ in range(MAX_HALVINGS):
            moved = (shared + scale * step_shared, curves + scale * step_curves)
            moved_cost = _penalised_deviance(species, designs, own, common, *moved)
            if moved_cost <= cost + ROUNDING * abs(cost):
                break
            scale /= 2
        (shared, curves), cost = moved, moved_cost
        if np.abs(step_curves).max() < TOLERANCE:
            return shared, curves
    raise RuntimeError(f"the fit did not converge in {MAX_STEPS} Newton steps")


def _penalised_deviance(species, designs, own, common, shared, curves) -> float:
    """Return half the penalised deviance, which the fit minimises."""
    cost = shared @ common @ shared / 2
    for counts, design, curve in zip(species, designs, curves, strict=True):
        logits = counts.offset + design @ curve
        cost += counts.at_risk @ np.logaddexp(0, logits) - counts.died @ logits
        cost += (curve - shared) @ own @ (curve - shared) / 2
    return float(cost)


def fit_logits(
    designs: Sequence[np.ndarray], logits: Sequence[np.ndarray], weights: Sequence[np.ndarray], smoothing: Smoothing
) -> np.ndarray:
    """Return each species' coefficients [species, 1 + features * KNOTS] for known logits [rows] in place of counts.

    Weighted least squares with the penalties of `fit_period`: its last Newton step for the weights
    at_risk * hazard * (1 - hazard). Designs [rows, 1 + features * KNOTS] have the intercept first.
    """
    size = designs[0].shape[1]
    data = []
    for design, logit, weight in zip(designs, logits, weights, strict=True):
        weighted = design.T * weight
        data.append((weighted @ design, -(weighted @ logit)))
    zero = np.zeros((len(designs), size))
    return _penalised_step(data, *_penalties(size, smoothing), zero[0], zero)[1]


def fit_curves(design: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return coefficients [1 + features * KNOTS, columns] of values [rows, columns], by penalised least squares."""
    penalty = _penalty(design.shape[1], CURVE_SLOPE, CURVE_CURVATURE, FREE)
    return linalg.solve(design.T @ design + penalty, design.T @ values, assume_a="pos")


def _newton_step(species, designs, own, common, shared, curves):
    """Solve the Newton system of the penalised likelihood."""
    data = []
    for counts, design, curve in zip(species, designs, curves, strict=True):
        hazard = expit(counts.offset + design @ curve)
        weighted = design.multiply((counts.at_risk * hazard * (1.0 - hazard))[:, None]).tocsr()
        data.append(((design.T @ weighted).toarray(), design.T @ (counts.at_risk * hazard - counts.died)))
    return _penalised_step(data, own, common, shared, curves)


def _penalised_step(data, own, common, shared, curves):
    """Solve the arrow-shaped system of the species' (information, gradient), eliminating one species after another."""
    gradient_shared = common @ shared
    schur = common.copy()
    solved = []
    for (information, gradient), curve in zip(data, curves, strict=True):
        pull = own @ (curve - shared)
        factor = linalg.cho_factor(information + own)
        block = linalg.cho_solve(factor, own)
        offset = linalg.cho_solve(factor, gradient + pull)
        schur += own - own @ block
        gradient_shared = gradient_shared - pull + own @ offset
        solved.append((block, offset))
    step_shared = -linalg.solve(schur, gradient_shared, assume_a="pos")
    step_curves = np.stack([block @ step_shared - offset for block, offset in solved])
    return step_shared, step_curves


def _penalties(size: int, smoothing: Smoothing) -> tuple[np.ndarray, np.ndarray]:
    """Return the penalty on a species' departure and on the shared curve."""
    own = _penalty(size, smoothing.species_slope, smoothing.species_curvature, INTERCEPT_PENALTY)
    return own, _penalty(size, smoothing.shared_slope, smoothing.shared_curvature, FREE)


def _penalty(size: int, slope: float, curvature: float, intercept: float) -> np.ndarray:
    first, second = (np.diff(np.eye(KNOTS), order, axis=0) for order in (1, 2))
    block = slope * first.T @ first + curvature * second.T @ second + LEVEL_PENALTY * np.eye(KNOTS)
    return linalg.block_diag([[intercept]], *[block] * ((size - 1) // KNOTS))
