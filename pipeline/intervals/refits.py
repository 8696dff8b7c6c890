"""Refits of the models in redrawn worlds: other choices of the simulation's free sizes, from their priors.

The models' fit counts 5 million trees; here the counts of a site are replaced by what they say of its logit, a normal
deviate with the variance that the planting programme's trees and site effects give it. The fit of such logits is the
last step of the models' fit, with the same curves and penalties, and takes a second for a world.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from tqdm import tqdm

from pipeline.grid.arrow_file import Grid
from pipeline.models.basis import Knots
from pipeline.models.features import FEATURE_NAMES
from pipeline.models.fit import DEPARTURE_SMOOTHING, METHOD_SMOOTHING, fit_logits
from pipeline.outcomes.intercepts import PUBLISHED_SITE
from pipeline.outcomes.periods import HORIZONS, METHODS
from pipeline.outcomes.simulation import LOST_SHARE, TREES_PER_PLOT, Truth, plot_points, plots_of, truth_of_world
from pipeline.outcomes.species import species_codes
from pipeline.outcomes.world import World

SITES = 1000
"""Sites of a species; each stands for several plots of the planting programme."""


@dataclass(frozen=True)
class Refits:
    """Designs [sites, coefficients] of each species, and by method what all worlds gave.

    `coefficients` is [worlds, species, coefficients, periods], intercept first; `site_variance` is [worlds].
    """

    designs: list[np.ndarray]
    coefficients: dict[str, np.ndarray]
    site_variance: dict[str, np.ndarray]


def redrawn_truths(grid: Grid, truth: Truth, count: int, seed: int) -> Iterator[Truth]:
    """Yield the hazards of `count` redrawn worlds."""
    generator = np.random.default_rng(seed)
    published = grid.nearest(*PUBLISHED_SITE)
    for _ in range(count):
        yield truth_of_world(World.draw(generator), truth.environment, truth.envelopes, published)


def refit_worlds(grid: Grid, truth: Truth, knots: Knots, count: int, seed: int) -> Refits:
    """Redraw `count` worlds, and fit the models in each."""
    generator = np.random.default_rng(seed + 1)
    points = [plot_points(envelope.inside, SITES, generator) for envelope in truth.envelopes]
    features = grid.features(FEATURE_NAMES)
    designs = [np.hstack([np.ones((SITES, 1)), knots.hats(features[of]).toarray()]) for of in points]
    coefficients = {method: [] for method in METHODS}
    site_variance = {method: [] for method in METHODS}
    for world in tqdm(redrawn_truths(grid, truth, count, seed), total=count, desc="refit worlds"):
        fitted = np.zeros((len(points), designs[0].shape[1], len(HORIZONS)))
        for method, smoothing in zip(METHODS, (METHOD_SMOOTHING, DEPARTURE_SMOOTHING), strict=True):
            logits = np.stack([world.logits(method, species, of) for species, of in enumerate(points)])
            responses, weights = _programme(logits, world.site_sd(method), generator)
            fitted = _refit(designs, responses, weights, fitted, smoothing)
            coefficients[method].append(fitted)
            site_variance[method].append(world.site_sd(method) ** 2)
    return Refits(
        designs,
        {method: np.stack(of) for method, of in coefficients.items()},
        {method: np.array(of) for method, of in site_variance.items()},
    )


def _programme(logits: np.ndarray, site_sd: float, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return what the programme's plots say of true logits, with the weights, both [species, sites, periods]."""
    plots = np.array([plots_of(code) for code in species_codes()])[:, None, None] / SITES
    hazard = expit(logits)
    entered = np.concatenate([np.ones_like(hazard[:, :, :1]), np.cumprod(1 - hazard[:, :, :-1], axis=2)], axis=2)
    followed = (1 - LOST_SHARE) ** np.arange(len(HORIZONS))
    # Of a plot's logit, by its trees at risk; where none are left, next to nothing.
    information = np.maximum(TREES_PER_PLOT * entered * followed * hazard * (1 - hazard), 1e-6)
    deviation = np.sqrt((1 / information + site_sd**2) / plots)
    return logits + deviation * generator.standard_normal(logits.shape), information * plots


def _refit(designs, responses, weights, reference, smoothing):
    """Return coefficients [species, coefficients, periods], fitted as departures from those of the reference."""
    departures = responses - np.stack([design @ of for design, of in zip(designs, reference, strict=True)])
    return reference + np.stack(
        [
            fit_logits(designs, departures[..., period], weights[..., period], smoothing)
            for period in range(len(HORIZONS))
        ],
        axis=-1,
    )
