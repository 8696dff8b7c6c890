"""Intercepts of the simulation, solved to match one published sample, and expected survival from hazard logits."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, roots_hermite

# A published sample of such a service for Douglas-fir in the Oregon Cascades.
PUBLISHED_SITE = (44.12, -122.03)
PUBLISHED_SPECIES = "PSME"
PUBLISHED_SURVIVAL = {"manual": (0.94, 0.87, 0.81), "drone_seeded": (0.89, 0.80, 0.73)}

_NODES, _WEIGHTS = roots_hermite(16)


def expected_survival(logits: np.ndarray, site_sd: float) -> np.ndarray:
    """Return survival [..., periods] to the end of each period from hazard logits.

    Averaged over a site effect, normal with standard deviation `site_sd`, that is the same in all periods.
    """
    alive = expit(-(logits[..., None] + np.sqrt(2.0) * site_sd * _NODES))
    return np.cumprod(alive, axis=-2) @ (_WEIGHTS / _WEIGHTS.sum())


def averaging(site_sd: float) -> float:
    """Return the factor on an effect on the logit when it is averaged over a normal site effect.

    Zeger, Liang and Albert (1988), Biometrics 44: 1049-1060.
    """
    return float(1 / np.sqrt(1 + (16 * np.sqrt(3) / (15 * np.pi)) ** 2 * site_sd**2))


def intercepts(published_predictor: np.ndarray, survival: tuple[float, ...], site_sd: float) -> np.ndarray:
    """Return the period intercepts [periods] that give `survival` at a site with this predictor [periods]."""
    found = np.zeros(0)
    for target in survival:
        known = (found, published_predictor, target, site_sd)
        found = np.append(found, brentq(_miss, -15.0, 15.0, args=known, xtol=1e-12))
    return found


def _miss(intercept: float, earlier: np.ndarray, predictor: np.ndarray, target: float, site_sd: float) -> float:
    """Return survival to the period after `earlier` minus the target."""
    so_far = np.append(earlier, intercept)
    return float(expected_survival(predictor[: len(so_far)] + so_far, site_sd)[-1] - target)
