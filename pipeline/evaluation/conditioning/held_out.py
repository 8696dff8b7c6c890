"""How worlds predict plantings that they were not conditioned on: log score and coverage."""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp, roots_hermite

from pipeline.evaluation.conditioning.chain import free_deviates
from pipeline.evaluation.conditioning.observations import Observations
from pipeline.evaluation.evidence.predictions import INTERVAL, yearly
from pipeline.evaluation.evidence.scores import MIN_TREES, is_inside, values
from pipeline.outcomes.intercepts import expected_survival
from pipeline.outcomes.plantings import Plantings
from pipeline.outcomes.world import World

EFFECTS_PER_DRAW = 4
_NODES, _WEIGHTS = roots_hermite(9)


@dataclass(frozen=True)
class Prediction:
    """Log probabilities of counts [draws, plantings], and 80 % intervals of survival [2, plantings, years 1 to 5]."""

    by_draw: np.ndarray
    interval: np.ndarray

    def score(self, used: np.ndarray, draws: slice = slice(None)) -> float:
        """Return the mean log score of the chosen plantings over some of the draws."""
        chosen = self.by_draw[draws][:, used]
        return float((logsumexp(chosen, axis=0) - np.log(len(chosen))).mean())


def predict(worlds: Plantings, observations: Observations, deviates: np.ndarray, seed: int) -> Prediction:
    """Predict new plantings in the worlds of `deviates` [draws, deviates], each with a programme and place of its own.

    Deviates that a chain holds at 0 are drawn from their prior.
    """
    generator, free = np.random.default_rng(seed), free_deviates()
    mean, offset_sd = observations.offset.T
    scores, survival = [], []
    for draw in deviates:
        world = World.from_deviates(np.where(free, draw, generator.standard_normal(len(draw))))
        logits = worlds.logits(world) + mean[:, None]
        spread = world.programme_sd**2 + world.place_sd**2 + world.stand_sd**2
        sd = np.sqrt(spread + offset_sd**2)
        of_nodes = [
            observations.log_likelihood(logits + (np.sqrt(2) * node * sd)[:, None], world.plot_sd) for node in _NODES
        ]
        scores.append(logsumexp(of_nodes, axis=0, b=(_WEIGHTS / _WEIGHTS.sum())[:, None]))
        for _ in range(EFFECTS_PER_DRAW):
            effect = sd * generator.standard_normal(len(sd))
            survival.append(yearly(expected_survival(logits + effect[:, None], world.plot_sd)))
    return Prediction(np.array(scores), np.quantile(survival, INTERVAL, axis=0))


def inside(observations: Observations, prediction: Prediction, used: np.ndarray) -> tuple[int, int]:
    """Return the number of observed values of the chosen plantings inside their intervals, and that of all."""
    held = [
        is_inside(census, prediction.interval[:, row])
        for row in np.flatnonzero(used)
        for census in values(observations.plantings[row].censuses)
        if (observations.plantings[row].trees or MIN_TREES) >= MIN_TREES
    ]
    return sum(held), len(held)
