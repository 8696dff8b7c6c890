"""Fit the interval models to the refitted worlds.

The standard deviation between sites is the mean of that of the worlds, not the root of the mean variance, which the few
widest pull up: the middle 80 % of a mixture of normals are nearer those of the typical one. The correlation of the
methods' effects at a site is the mean covariance over the product of those deviations.

The mean over the worlds is a sum of curves, as each fit is. The logarithm of the variance and the correlation between
the methods are not, but come close. The coverage that the model card reports is that of the graphs, and includes what
this approximation loses.
"""

import numpy as np

from pipeline.grid.arrow_file import Grid
from pipeline.intervals.model import COLUMNS, CORRELATION, LOG_VARIANCE, MEAN, IntervalModel
from pipeline.intervals.refits import Refits, refit_worlds
from pipeline.models.basis import KNOTS, Knots
from pipeline.models.features import FEATURE_NAMES
from pipeline.models.fit import fit_curves
from pipeline.models.hazard import DECIMALS
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.simulation import Truth

WORLDS = 120
SEED = 31
VARIANCE_DECIMALS = 9
"""A slope by a percent of cover has a small variance."""


def fit_intervals(grid: Grid, truth: Truth, knots: Knots) -> dict[str, IntervalModel]:
    """Return the interval model of each method from WORLDS redrawn worlds."""
    return interval_models(refit_worlds(grid, truth, knots, WORLDS, SEED), knots)


def interval_models(refits: Refits, knots: Knots) -> dict[str, IntervalModel]:
    """Return the interval model of each method."""
    columns = {method: [] for method in METHODS}
    for species, design in enumerate(refits.designs):
        departures = {}
        for method in METHODS:
            of_worlds = refits.coefficients[method][:, species]
            mean = of_worlds.mean(axis=0)
            departures[method] = design @ (of_worlds - mean)
            coefficients = np.zeros((len(mean), COLUMNS))
            coefficients[:, MEAN] = mean
            coefficients[:, LOG_VARIANCE] = fit_curves(design, np.log(_variance(departures[method])))
            if method == METHODS[0]:
                coefficients[0, CORRELATION] = 1.0
            else:
                correlation = _correlation(departures[METHODS[0]], departures[method])
                coefficients[:, CORRELATION] = fit_curves(design, correlation[:, None])
            columns[method].append(coefficients)
    models = {}
    for method in METHODS:
        coefficients = np.round(np.stack(columns[method]), DECIMALS)
        models[method] = IntervalModel(
            knots,
            coefficients[:, 0],
            coefficients[:, 1:].reshape(len(coefficients), len(FEATURE_NAMES), KNOTS, COLUMNS),
            float((refits.site_sd[method].mean() ** 2).round(DECIMALS)),
            1.0 if method == METHODS[0] else _site_correlation(refits),
            refits.practice[method].mean(axis=0).round(DECIMALS),
            refits.practice[method].var(axis=0).round(VARIANCE_DECIMALS),
            method != METHODS[0],
        )
    return models


def _site_correlation(refits: Refits) -> float:
    """Return the correlation over the worlds of the effects of a site on planted and on seeded trees."""
    deviations = [refits.site_sd[method] for method in METHODS]
    covariance = (refits.site_correlation * deviations[0] * deviations[1]).mean()
    return float((covariance / (deviations[0].mean() * deviations[1].mean())).round(DECIMALS))


def _variance(departures: np.ndarray) -> np.ndarray:
    """Return variances [sites, periods] over worlds of departures [worlds, sites, periods].

    Of the later periods only the part that goes with the first counts, since all periods of a draw have one score.
    """
    covariance = (departures * departures[:, :, :1]).sum(axis=0) / (len(departures) - 1)
    return covariance**2 / covariance[:, :1]


def _correlation(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the correlation [sites] over worlds of departures [worlds, sites, periods], all periods together."""
    covariance = (first * second).sum(axis=(0, 2))
    return covariance / np.sqrt((first**2).sum(axis=(0, 2)) * (second**2).sum(axis=(0, 2)))
