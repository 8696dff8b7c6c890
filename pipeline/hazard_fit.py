"""Fit one period's hazards: an additive logit with a curve a feature, shared and varying by species.

A hierarchical generalised additive model (Pedersen et al. 2019, model GS) on P-splines with first-difference
penalties (Eilers and Marx 1996): species curves shrink to the shared curve, the shared curve to a level one. The
penalised likelihood is concave; Newton's method solves it, with the species eliminated block by block.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.special import expit

from pipeline.hazard_basis import KNOTS

MAX_STEPS = 40
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Smoothing:
    """Penalties: on differences of the shared and of the species' curves, and on their level (identifiability)."""

    shared: float = 1.0
    species: float = 6.0
    level: float = 0.02
    intercept: float = 0.5


@dataclass(frozen=True)
class SpeciesCounts:
    """Data of one species and period: basis [rows, coefficients], trees at risk and trees that died [rows]."""

    basis: sparse.csr_matrix
    at_risk: np.ndarray
    died: np.ndarray


def fit_period(species: list[SpeciesCounts], smoothing: Smoothing) -> tuple[np.ndarray, np.ndarray]:
    """Return intercepts [species] and curves [species, features * KNOTS]."""
    size = species[0].basis.shape[1] + 1
    designs = [sparse.hstack([np.ones((s.basis.shape[0], 1)), s.basis], format="csr") for s in species]
    own = _penalty(size, smoothing.species, smoothing.level, smoothing.intercept)
    common = _penalty(size, smoothing.shared, smoothing.level, 0.0)
    died, at_risk = sum(s.died.sum() for s in species), sum(s.at_risk.sum() for s in species)
    shared = np.zeros(size)
    shared[0] = np.log(died / (at_risk - died))
    curves = np.tile(shared, (len(species), 1))
    for _ in range(MAX_STEPS):
        step_shared, step_curves = _newton_step(species, designs, own, common, shared, curves)
        # A long first step from level curves can overshoot; the predictor never needs to move that far at once.
        scale = min(1.0, 4.0 / max(np.abs(step_curves).max(), 1e-12))
        shared = shared + scale * step_shared
        curves = curves + scale * step_curves
        if np.abs(step_curves).max() < TOLERANCE:
            return curves[:, 0], curves[:, 1:]
    raise RuntimeError(f"the fit did not converge in {MAX_STEPS} Newton steps")


def _newton_step(species, designs, own, common, shared, curves):
    """Solve the arrow-shaped Newton system: species blocks eliminated into one for the shared curve."""
    gradient_shared = common @ shared
    schur = common.copy()
    solved = []
    for counts, design, curve in zip(species, designs, curves, strict=True):
        hazard = expit(design @ curve)
        pull = own @ (curve - shared)
        gradient = design.T @ (counts.at_risk * hazard - counts.died) + pull
        weighted = design.multiply((counts.at_risk * hazard * (1.0 - hazard))[:, None]).tocsr()
        factor = linalg.cho_factor((design.T @ weighted).toarray() + own)
        block = linalg.cho_solve(factor, own)
        offset = linalg.cho_solve(factor, gradient)
        schur += own - own @ block
        gradient_shared = gradient_shared - pull + own @ offset
        solved.append((block, offset))
    step_shared = -linalg.solve(schur, gradient_shared, assume_a="pos")
    step_curves = np.stack([block @ step_shared - offset for block, offset in solved])
    return step_shared, step_curves


def _penalty(size: int, difference: float, level: float, intercept: float) -> np.ndarray:
    differences = np.diff(np.eye(KNOTS), axis=0)
    block = difference * differences.T @ differences + level * np.eye(KNOTS)
    features = (size - 1) // KNOTS
    return linalg.block_diag([[max(intercept, 1e-6)]], *[block] * features)
