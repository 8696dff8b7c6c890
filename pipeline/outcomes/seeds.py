"""From seed to spot: a sown spot is alive if at least one seedling of its seeds lives.

Of n viable seeds, each yields a living seedling with the same chance p, independently: the spot is dead with chance
(1 - p)^n, close to exp(-n p). With other seeds or other rates the exponent changes in proportion, at every horizon.
"""

import numpy as np
from scipy.special import expit, logit

from pipeline.outcomes.world import World

_CENTRAL = World.central()
PUBLISHED_FIRST_YEAR = 0.89
SEEDS_PER_SPOT = float(
    round(-np.log(1 - PUBLISHED_FIRST_YEAR) / (_CENTRAL.emergence * _CENTRAL.germinant_survival), -1)
)
"""Viable seeds per pod that the published sample needs at natural rates of emergence and first-year survival: 740."""
_TINY = 1e-12


def seed_ratio(world: World, seeds_per_spot: float | np.ndarray = SEEDS_PER_SPOT) -> float | np.ndarray:
    """Return the ratio of living seedlings in a spot to those in one with the default seeds at the central rates."""
    rates = world.emergence * world.germinant_survival / (_CENTRAL.emergence * _CENTRAL.germinant_survival)
    return rates * seeds_per_spot / SEEDS_PER_SPOT


def spot_logits(logits: np.ndarray, ratio: float | np.ndarray) -> np.ndarray:
    """Return the hazard logits [..., periods] of spots with `ratio` times the living seedlings of spots with `logits`.

    `ratio` is a number, or [...].
    """
    alive = np.cumprod(expit(-logits), axis=-1)
    thinned = -np.expm1(np.asarray(ratio)[..., None] * np.log1p(-np.minimum(alive, 1 - _TINY)))
    lives = thinned / np.concatenate([np.ones_like(thinned[..., :1]), thinned[..., :-1]], axis=-1)
    return -logit(np.clip(lives, _TINY, 1 - _TINY))
