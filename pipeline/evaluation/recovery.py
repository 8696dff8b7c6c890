"""How well fitted curves recover the effects in the simulation; not measurable for observed outcomes."""

from dataclasses import dataclass

import numpy as np

from pipeline.grid.arrow_file import Grid
from pipeline.models.features import FEATURE_NAMES
from pipeline.models.hazard import HazardModel
from pipeline.outcomes.simulation import Truth
from pipeline.outcomes.true_hazards import method_logit, species_terms


@dataclass(frozen=True)
class Recovery:
    """Agreement of one feature's first-year effects over the native points of all species, in logits."""

    feature: str
    true_sd: float
    rmse: float
    correlation: float


def true_effects(truth: Truth, species: int, method: str, points: np.ndarray) -> dict[str, np.ndarray]:
    """Return the simulated first-year logits [points] of each feature for a species at some grid points."""
    environment, world = truth.environment.at(points), truth.world
    totals = {name: np.zeros(len(environment.axes[name])) for name in FEATURE_NAMES}
    for term in species_terms(environment, species, truth.envelopes[species], world):
        if term.variable in totals:
            totals[term.variable] += method_logit(term, method, world) * world.process_weights[term.process][0]
    return totals


def recovery(grid: Grid, truth: Truth, model: HazardModel, method: str) -> list[Recovery]:
    """Return the agreement of every feature; effects are compared about their mean over a species' native points."""
    features = grid.features(FEATURE_NAMES)
    known_effects = {name: [] for name in FEATURE_NAMES}
    fitted_effects = {name: [] for name in FEATURE_NAMES}
    for index, envelope in enumerate(truth.envelopes):
        points = envelope.inside
        fitted = model.feature_logits(features[points], np.full(points.sum(), index))[:, :, 0]
        known = true_effects(truth, index, method, points)
        for column, name in enumerate(FEATURE_NAMES):
            true = known[name]
            known_effects[name].append(true - true.mean())
            fitted_effects[name].append(fitted[:, column] - fitted[:, column].mean())
    return [
        _agreement(name, np.concatenate(known_effects[name]), np.concatenate(fitted_effects[name]))
        for name in FEATURE_NAMES
    ]


def _agreement(feature: str, true: np.ndarray, fitted: np.ndarray) -> Recovery:
    return Recovery(
        feature=feature,
        true_sd=float(true.std()),
        rmse=float(np.sqrt(np.mean((fitted - true) ** 2))),
        correlation=float(np.corrcoef(true, fitted)[0, 1]) if true.std() > 0 else float("nan"),
    )
