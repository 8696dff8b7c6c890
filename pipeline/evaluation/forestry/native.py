"""Pairs of a grid point and a species native there, on which the answers that matter most are judged."""

from dataclasses import dataclass

import numpy as np

from pipeline.evaluation.forestry.plausibility import SPREAD
from pipeline.evaluation.graph import GraphModel
from pipeline.grid.arrow_file import Grid
from pipeline.models.features import FEATURE_NAMES
from pipeline.models.input_errors import standard_errors
from pipeline.outcomes.species import species_codes


@dataclass(frozen=True)
class NativePairs:
    """Point and species index [pairs], and the features [pairs, features] there."""

    point: np.ndarray
    species: np.ndarray
    features: np.ndarray


def native_pairs(grid: Grid) -> NativePairs:
    """Return the native pairs of one grid point in :data:`SPREAD`."""
    points = np.arange(0, len(grid.latitude), SPREAD)
    native = np.stack([grid.in_range(species)[points] for species in range(len(species_codes()))])
    species, where = np.nonzero(native)
    return NativePairs(points[where], species, grid.features(FEATURE_NAMES)[points[where]])


def first_factor_shares(pairs: NativePairs, model: GraphModel) -> np.ndarray:
    """Return for each feature the share of pairs [features] that have it as the first factor at year 5."""
    contributions = model.contributions(pairs.features, pairs.species)[:, -1, : len(FEATURE_NAMES)]
    first = np.abs(contributions).argmax(axis=1)
    return np.bincount(first, minlength=len(FEATURE_NAMES)) / len(first)


def error_effects(grid: Grid, pairs: NativePairs, model: GraphModel) -> np.ndarray:
    """Return for each feature the RMSE [features] of five-year survival when it alone is off by its error.

    The error is that of the value as answered, added and subtracted in turn.
    """
    survival = model.survival(pairs.features, pairs.species)[:, -1]
    effects = []
    for column, size in enumerate(standard_errors(grid, pairs.point).T):
        squares = []
        for sign in (-1, 1):
            moved = pairs.features.copy()
            moved[:, column] += sign * size
            squares.append(np.mean((model.survival(moved, pairs.species)[:, -1] - survival) ** 2))
        effects.append(np.sqrt(np.mean(squares)))
    return np.array(effects)
