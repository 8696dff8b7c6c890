"""Intercepts of the simulation, solved to match one published sample, and expected survival from hazard logits."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, roots_hermite

SITE_SD = 0.5
"""Standard deviation, in logits, of what no grid column explains: stock, crew, browse, microsite, weather."""

# A published sample of such a service for Douglas-fir in the Oregon Cascades.
PUBLISHED_SITE = (44.12, -122.03)
PUBLISHED_SPECIES = "PSME"
PUBLISHED_SURVIVAL = {"manual": (0.94, 0.87, 0.81), "drone_seeded": (0.89, 0.80, 0.73)}

_NODES, _WEIGHTS = roots_hermite(16)
_SITE_EFFECTS = np.sqrt(2.0) * SITE_SD * _NODES
_SITE_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def expected_survival(logits: np.ndarray) -> np.ndarray:
    """Return survival [..., periods] to the end of each period, averaged over the site effect, from hazard logits."""
    alive = expit(-(logits[..., None] + _SITE_EFFECTS))
    return np.cumprod(alive, axis=-2) @ _SITE_WEIGHTS


def intercepts(published_predictor: np.ndarray, survival: tuple[float, ...]) -> np.ndarray:
    """Return the period intercepts [periods] that give `survival` at a site with this predictor [periods]."""
    found = np.zeros(0)
    for target in survival:
        found = np.append(found, brentq(_miss, -15.0, 15.0, args=(found, published_predictor, target), xtol=1e-12))
    return found


def _miss(intercept: float, earlier: np.ndarray, site_predictor: np.ndarray, target: float) -> float:
    """Return by how much survival to the period after `earlier` exceeds the target."""
    so_far = np.append(earlier, intercept)
    return float(expected_survival(site_predictor[: len(so_far)] + so_far)[-1] - target)
