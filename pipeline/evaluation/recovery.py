"""How well fitted curves recover the effects in the simulation; not measurable for observed outcomes."""

from dataclasses import dataclass

import numpy as np

from pipeline.grid.arrow_file import Grid
from pipeline.models.features import FEATURE_NAMES
from pipeline.models.hazard import HazardModel
from pipeline.outcomes.envelopes import Envelope
from pipeline.outcomes.species import all_species
from pipeline.outcomes.true_hazards import PROCESS_WEIGHTS, method_logit, species_terms


@dataclass(frozen=True)
class Recovery:
    """Agreement of one feature's first-year effects over the native points of all species, in logits."""

    feature: str
    true_sd: float
    rmse: float
    correlation: float


def true_effect(grid: Grid, species_index: int, envelope: Envelope, method: str, feature: str) -> np.ndarray:
    """Return the simulated first-year logits [points] of one feature for a species."""
    total = np.zeros(len(grid.latitude))
    for term in species_terms(grid, all_species()[species_index], envelope):
        if term.variable == feature:
            total += method_logit(term, method) * PROCESS_WEIGHTS[term.process][0]
    return total


def recovery(grid: Grid, envelopes: list[Envelope], model: HazardModel, method: str) -> list[Recovery]:
    """Return the agreement of every feature; effects are compared about their mean over a species' native points."""
    features = grid.features(FEATURE_NAMES)
    true_effects = {name: [] for name in FEATURE_NAMES}
    fitted_effects = {name: [] for name in FEATURE_NAMES}
    for index, envelope in enumerate(envelopes):
        points = envelope.inside
        fitted = model.feature_logits(features[points], np.full(points.sum(), index))[:, :, 0]
        for column, name in enumerate(FEATURE_NAMES):
            true = true_effect(grid, index, envelope, method, name)[points]
            true_effects[name].append(true - true.mean())
            fitted_effects[name].append(fitted[:, column] - fitted[:, column].mean())
    return [
        _agreement(name, np.concatenate(true_effects[name]), np.concatenate(fitted_effects[name]))
        for name in FEATURE_NAMES
    ]


def _agreement(feature: str, true: np.ndarray, fitted: np.ndarray) -> Recovery:
    return Recovery(
        feature=feature,
        true_sd=float(true.std()),
        rmse=float(np.sqrt(np.mean((fitted - true) ** 2))),
        correlation=float(np.corrcoef(true, fitted)[0, 1]) if true.std() > 0 else float("nan"),
    )
