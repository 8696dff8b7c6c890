"""The distribution of survival at a site over worlds, fits, input errors and sites, as a fixed set of draws.

On the scale of the hazard logit the distribution of a period is normal about the mean of the refitted worlds. Its
variance is the sum of the variance over the refitted worlds (process and fit), the variance between sites, and the
squared standard error of each input times the slope in it. All periods of a draw lie at the same normal score.

Drone seeding has a second score, independent of the first. Its correlation with planting is the mean of the
correlations of the sources, weighted by their variances: that of the worlds is a function of the site, that of the
sites is a constant, and an input error and the effect of a practice are the same for both methods.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from scipy.stats import norm

from pipeline.models.basis import Knots
from pipeline.models.features import with_practice
from pipeline.outcomes.periods import HORIZONS
from pipeline.outcomes.practice import DEFAULTS

DRAWS = 32
LEVEL = 0.8
# Signed ranks of the magnitudes of the second score, in the order of the upper half of the first. Found by search: in
# every direction of the plane the 10th and 90th percentiles are right within 5 %, and the scores are uncorrelated.
_PARTNERS = np.array([6, 13, -14, 11, 16, -5, -15, -12, 3, -7, 10, -8, 2, -4, 9, 1])
# The columns of the curves.
MEAN = slice(0, len(HORIZONS))
LOG_VARIANCE = slice(len(HORIZONS), 2 * len(HORIZONS))
CORRELATION = slice(2 * len(HORIZONS), 2 * len(HORIZONS) + 1)
COLUMNS = 2 * len(HORIZONS) + 1


def normal_scores() -> np.ndarray:
    """Return two normal scores of each draw, [2, draws], symmetric about zero.

    They are scaled so that the quantiles of the interval, linear between order statistics, are those of the normal.
    """
    first = norm.ppf((np.arange(DRAWS) + 0.5) / DRAWS)
    upper = (1 + LEVEL) / 2
    first *= norm.ppf(upper) / np.quantile(first, upper)
    half = first[DRAWS // 2 :][np.abs(_PARTNERS) - 1] * np.sign(_PARTNERS)
    return np.stack([first, np.concatenate([-half[::-1], half])])


@dataclass(frozen=True)
class IntervalModel:
    """Intercepts [species, columns] and curves [species, features, knots, columns] of one method.

    The columns are the means over the refitted worlds of the periods' hazard logits, the logarithms of their variances
    from process and fit, and the correlation over the worlds with planting by hand. `site_variance` is between sites of
    the same environment, `site_correlation` is that of a site's effects with those of planting by hand. `practice` and
    `practice_variance` [species, linear practices, periods] are the mean and the variance over the worlds of the slopes
    of the practice. If `sown`, survival is that of spots with `seeds_per_spot` seeds.
    """

    knots: Knots
    intercepts: np.ndarray
    curves: np.ndarray
    site_variance: float
    site_correlation: float
    practice: np.ndarray
    practice_variance: np.ndarray
    sown: bool

    def draws(self, features: np.ndarray, species: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """Return survival [rows, horizons, draws], all equally likely.

        `features` float32, of the grid or all inputs, and the standard errors `errors` of those of the grid are
        [rows, features], `species` is int64 [rows].
        """
        inputs, count = with_practice(features), self.curves.shape[1]
        features, seeds = inputs[:, :count], inputs[:, -1]
        departures = (inputs[:, count:-1] - DEFAULTS[:-1])[:, :, None]
        columns = self.intercepts[species] + self.knots.interpolate(self.curves, features, species).sum(axis=1)
        mean = columns[:, MEAN] + (departures * self.practice[species]).sum(axis=1)
        slopes = self.knots.slopes(self.curves[..., MEAN], features, species)
        process = np.exp(columns[:, LOG_VARIANCE])
        given = ((slopes * errors[:, :, None]) ** 2).sum(axis=1)
        given = given + (departures**2 * self.practice_variance[species]).sum(axis=1)
        variance = process + self.site_variance + given
        shared = columns[:, CORRELATION].clip(0, 1) * process + self.site_correlation * self.site_variance + given
        correlation = shared / variance
        along = np.sqrt(variance) * correlation
        across = np.sqrt(variance * (1 - correlation**2).clip(0))
        first, second = normal_scores()
        logits = mean[:, :, None] + along[:, :, None] * first + across[:, :, None] * second
        alive = np.cumprod(expit(-logits), axis=1)
        if not self.sown:
            return alive
        ratio = (seeds / DEFAULTS[-1])[:, None, None]
        return np.where(ratio == 1, alive, 1 - (1 - alive) ** ratio)
