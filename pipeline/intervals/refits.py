"""Refits of the models in redrawn worlds: other choices of the simulation's free sizes, from their priors.

The models' fit counts 5 million trees; here a normal deviate of a site's logit replaces the counts, with the variance
that the planting programme's trees and site effects give it. The fit of such logits is the
last step of the models' fit, with the same curves and penalties, and takes a second for a world.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import expit
from tqdm import tqdm

from pipeline.grid.arrow_file import Grid
from pipeline.models.basis import KNOTS, Knots
from pipeline.models.features import FEATURE_NAMES
from pipeline.models.fit import DEPARTURE_SMOOTHING, METHOD_SMOOTHING, fit_logits
from pipeline.models.scenario import changed_climate
from pipeline.models.shape import continued, is_fitted, with_given_curves
from pipeline.outcomes.intercepts import PUBLISHED_SITE
from pipeline.outcomes.periods import HORIZONS, METHODS
from pipeline.outcomes.practice import practice_slopes
from pipeline.outcomes.simulation import LOST_SHARE, TREES_PER_PLOT, Truth, plot_points, plots_of, truth_of_world
from pipeline.outcomes.species import species_codes
from pipeline.outcomes.world import World

SITES = 1000
"""Number of sites of a species; each represents several plots of the planting programme."""
WARMING_C = 4.0
"""The spread of the worlds is estimated in today's climate and in one that is warmer by this."""


@dataclass(frozen=True)
class Refits:
    """Designs [sites, coefficients] of each species, and the fits of all worlds by method.

    The designs are of the sites in today's climate, then in one warmer by `WARMING_C`. `coefficients` is
    [worlds, species, coefficients, periods], intercept first; `practice` is [worlds, species, practices, periods];
    `site_sd` by method and `site_correlation` are [worlds].
    """

    designs: list[np.ndarray]
    coefficients: dict[str, np.ndarray]
    practice: dict[str, np.ndarray]
    site_sd: dict[str, np.ndarray]
    site_correlation: np.ndarray


def redrawn_truths(grid: Grid, truth: Truth, count: int, seed: int) -> Iterator[Truth]:
    """Yield the hazards of `count` redrawn worlds."""
    generator = np.random.default_rng(seed)
    published = truth.environment.at(np.array([grid.nearest(*PUBLISHED_SITE)]))
    for _ in range(count):
        yield truth_of_world(World.draw(generator), truth, published)


def refit_worlds(grid: Grid, truth: Truth, knots: Knots, count: int, seed: int) -> Refits:
    """Redraw `count` worlds, and fit the models in each."""
    generator = np.random.default_rng(seed + 1)
    points = [plot_points(envelope.inside, SITES, generator) for envelope in truth.envelopes]
    features = grid.features(FEATURE_NAMES)
    designs = [_design(knots, features[of]) for of in points]
    free = [design * np.append(True, is_fitted().repeat(KNOTS)) for design in designs]
    coefficients = {method: [] for method in METHODS}
    practice = {method: [] for method in METHODS}
    site_sd = {method: [] for method in METHODS}
    site_correlation = []
    for world in tqdm(redrawn_truths(grid, truth, count, seed), total=count, desc="refit worlds"):
        fitted = np.zeros((len(points), designs[0].shape[1], len(HORIZONS)))
        for method, smoothing in zip(METHODS, (METHOD_SMOOTHING, DEPARTURE_SMOOTHING), strict=True):
            logits = np.stack([world.logits(method, species, of) for species, of in enumerate(points)])
            responses, weights = _programme(logits, world.site_sd(method), generator)
            process = partial(world.curve, method)
            reference = _with_curves(fitted, lambda curves, process=process: with_given_curves(curves, knots, process))
            fitted = _refit((designs, free), responses, weights, reference, smoothing)
            fitted = _with_curves(fitted, lambda curves, of=process: continued(curves, knots, features, of))
            coefficients[method].append(fitted)
            slopes = [practice_slopes(species, world.world, method) for species in range(len(points))]
            practice[method].append(np.stack(slopes))
            site_sd[method].append(world.site_sd(method))
        site_correlation.append(world.world.site_correlation)
    warmed = [_design(knots, changed_climate(grid, of, WARMING_C)) for of in points]
    return Refits(
        [np.vstack(both) for both in zip(designs, warmed, strict=True)],
        {method: np.stack(of) for method, of in coefficients.items()},
        {method: np.stack(of) for method, of in practice.items()},
        {method: np.array(of) for method, of in site_sd.items()},
        np.array(site_correlation),
    )


def _design(knots: Knots, features: np.ndarray) -> np.ndarray:
    return np.hstack([np.ones((len(features), 1)), knots.hats(features).toarray()])


def _with_curves(fitted: np.ndarray, change: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return coefficients [species, coefficients, periods] whose curves [species, features, knots, periods] change."""
    curves = change(fitted[:, 1:].reshape(len(fitted), len(FEATURE_NAMES), KNOTS, -1))
    return np.concatenate([fitted[:, :1], curves.reshape(len(fitted), -1, fitted.shape[2])], axis=1)


def _programme(logits: np.ndarray, site_sd: float, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return true logits with the noise of the programme's plots, and weights, both [species, sites, periods]."""
    plots = np.array([plots_of(code) for code in species_codes()])[:, None, None] / SITES
    hazard = expit(logits)
    entered = np.concatenate([np.ones_like(hazard[:, :, :1]), np.cumprod(1 - hazard[:, :, :-1], axis=2)], axis=2)
    followed = (1 - LOST_SHARE) ** np.arange(len(HORIZONS))
    # Information of a plot on its logit, by its trees at risk; nearly 0 if none are left.
    information = np.maximum(TREES_PER_PLOT * entered * followed * hazard * (1 - hazard), 1e-6)
    deviation = np.sqrt((1 / information + site_sd**2) / plots)
    return logits + deviation * generator.standard_normal(logits.shape), information * plots


def _refit(designs, responses, weights, reference, smoothing):
    """Return coefficients [species, coefficients, periods], fitted as departures from those of the reference.

    Of the designs [species][sites, coefficients] the first has all features, the second those whose curves are fitted.
    """
    everything, free = designs
    departures = responses - np.stack([design @ of for design, of in zip(everything, reference, strict=True)])
    return reference + np.stack(
        [fit_logits(free, departures[..., period], weights[..., period], smoothing) for period in range(len(HORIZONS))],
        axis=-1,
    )
