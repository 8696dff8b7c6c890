"""Known shapes of curves, in addition to the trees: their sign, and their course beyond the climates of the grid.

No tree of the grid stands at the maximum VPD of a hotter climate, so a fit says nothing there. Models of simulated
outcomes continue as the simulation does; models of observed outcomes continue in a straight line.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import isotonic_regression

from pipeline.models.basis import KNOTS, Knots
from pipeline.models.features import FEATURES

EDGE_KNOTS = 3
"""The straight line beyond the grid has the mean slope over this many knots at its edge."""
UNSEEN = 1e-6

Process = Callable[[int, str, np.ndarray], np.ndarray]
"""The hazard logits [values, periods] of a species, by its index, over values of a feature, up to a constant."""


def is_fitted() -> np.ndarray:
    """Return which features have fitted curves if there is a process, bool [features]."""
    return np.array([not feature.given for feature in FEATURES])


def with_given_curves(curves: np.ndarray, knots: Knots, process: Process) -> np.ndarray:
    """Return curves [species, features, knots, periods] with those of given features from the process."""
    curves = curves.copy()
    for index in np.flatnonzero(~is_fitted()):
        for species in range(len(curves)):
            curves[species, index] = process(species, FEATURES[index].name, knots.values(index))
    return curves


def continued(curves: np.ndarray, knots: Knots, observed: np.ndarray, process: Process | None) -> np.ndarray:
    """Return curves [species, features, knots, periods] continued beyond the `observed` features [points, features].

    Only features with a reach are continued, from the knots inside the 0.2 to 99.8 percentile of the grid.
    """
    curves = curves.copy()
    for index, feature in enumerate(FEATURES):
        if feature.reach is None:
            continue
        values = knots.values(index)
        low, high = np.quantile(observed[:, index], (0.002, 0.998))
        first, last = int(np.searchsorted(values, low)), int(np.searchsorted(values, high)) - 1
        for species in range(len(curves)):
            curve = curves[species, index]
            if process is None:
                below, above = (_slope(curve, edge, step) for edge, step in ((first, 1), (last, -1)))
                curve[:first] = curve[first] - below * np.arange(first, 0, -1)[:, None]
                curve[last + 1 :] = curve[last] - above * np.arange(1, KNOTS - last)[:, None]
            else:
                beyond = process(species, feature.name, values)
                curve[:first] = curve[first] + beyond[:first] - beyond[first]
                curve[last + 1 :] = curve[last] + beyond[last + 1 :] - beyond[last]
    return curves


def of_known_sign(curves: np.ndarray, trees: np.ndarray) -> np.ndarray:
    """Return the nearest curves [species, features, knots, periods] in which harmful features never lower the hazard.

    `trees` [species, features, knots] weight the knots.
    """
    curves = curves.copy()
    for index, feature in enumerate(FEATURES):
        if feature.harm == 0:
            continue
        for species in range(len(curves)):
            weights = trees[species, index] + UNSEEN * max(trees[species, index].sum(), 1.0)
            for period in range(curves.shape[3]):
                curves[species, index, :, period] = isotonic_regression(
                    curves[species, index, :, period], weights=weights, increasing=feature.harm > 0
                ).x
    return curves


def _slope(curve: np.ndarray, edge: int, step: int) -> np.ndarray:
    """Return the change [periods] of a curve [knots, periods] by a knot from an edge of the grid inwards."""
    return (curve[edge + step * EDGE_KNOTS] - curve[edge]) / EDGE_KNOTS
