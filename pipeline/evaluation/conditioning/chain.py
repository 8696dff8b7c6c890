"""A Markov chain over worlds and the effects of programmes, places and stands, given the counts of plantings.

Every unknown is a standard normal deviate, so that a step of preconditioned Crank-Nicolson, sqrt(1 - b^2) x + b noise,
keeps the prior and is accepted by the likelihood alone (Cotter et al. 2013, Statistical Science 28: 424-446). The
deviates of the world take one such step, then those of each level's units one, each unit accepted by itself: the
plantings of other units do not depend on it.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.evaluation.conditioning.observations import LEVELS, Observations
from pipeline.outcomes.plantings import Plantings
from pipeline.outcomes.world import World, deviate_count, deviate_names

UNIT_STEP = 0.5
FIRST_STEP = 0.08
ACCEPTED = 0.25
"""Acceptance rate to which the step of the world is adapted during burn-in."""
ADAPTED_EVERY = 100
HELD_AT_0 = ("drought_year",)
"""Deviates of a single planting: the year's weather and the stock lot are in the programme's effect."""


@dataclass(frozen=True)
class Chain:
    """Deviates of worlds [draws, deviates], the log likelihood of each draw, and the share of accepted steps."""

    deviates: np.ndarray
    log_likelihood: np.ndarray
    accepted: float
    step: float


def free_deviates() -> np.ndarray:
    """Return which deviates the chain moves, bool [deviates]."""
    return np.array([not name.startswith(("stock_shift", *HELD_AT_0)) for name in deviate_names()])


def run_chain(
    worlds: Plantings,
    observations: Observations,
    used: np.ndarray,
    steps: int,
    burn_in: int,
    thin: int,
    seed: int,
    start: np.ndarray | None = None,
) -> Chain:
    """Run a chain on the plantings where `used` [plantings] is true, and return every `thin`-th draw after burn-in.

    It starts at the deviates `start` where they are free, by default at those of the central world.
    """
    generator = np.random.default_rng(seed)
    free = free_deviates()
    deviates = np.zeros(deviate_count()) if start is None else np.where(free, start, 0.0)
    effects = {level: generator.standard_normal(observations.units[level].max() + 1) for level in LEVELS}
    target = _Target(worlds, observations, used)
    world, logits = target.world(deviates)
    likelihood = target.likelihood(world, logits, effects)
    step, accepted, recent, kept = FIRST_STEP, 0, 0, []
    for number in range(burn_in + steps):
        proposal = np.where(free, np.sqrt(1 - step**2) * deviates + step * generator.standard_normal(len(free)), 0.0)
        chance = np.log(generator.random())
        proposed = target.world(proposal)
        if proposed is not None:
            new = target.likelihood(*proposed, effects)
            if chance < new.sum() - likelihood.sum():
                deviates, (world, logits), likelihood = proposal, proposed, new
                recent += 1
                accepted += number >= burn_in
        for level in LEVELS:
            likelihood = target.move_units(level, world, logits, effects, likelihood, generator)
        if number < burn_in and (number + 1) % ADAPTED_EVERY == 0:
            step = float(np.clip(step * np.exp(recent / ADAPTED_EVERY - ACCEPTED), 0.005, 0.5))
            recent = 0
        if number >= burn_in and (number - burn_in) % thin == 0:
            kept.append((deviates, likelihood.sum()))
    draws, likelihoods = zip(*kept, strict=True)
    return Chain(np.array(draws), np.array(likelihoods), accepted / steps, step)


class _Target:
    """The likelihood of the chosen plantings, given a world and its effects."""

    def __init__(self, worlds: Plantings, observations: Observations, used: np.ndarray):
        self._worlds, self._observations, self._used = worlds, observations, used

    def world(self, deviates: np.ndarray) -> tuple[World, np.ndarray] | None:
        """Return a world and its hazard logits; None if its sites differ too much to give the published sample."""
        world = World.from_deviates(deviates)
        try:
            return world, self._worlds.logits(world)
        except ValueError:
            return None

    def likelihood(self, world: World, logits: np.ndarray, effects: dict[str, np.ndarray]) -> np.ndarray:
        """Return the log likelihood [plantings], 0 for those that are not used."""
        shifted = logits + self._effect(world, effects)[:, None]
        return np.where(self._used, self._observations.log_likelihood(shifted, world.plot_sd), 0.0)

    def _effect(self, world: World, effects: dict[str, np.ndarray]) -> np.ndarray:
        observations = self._observations
        mean, sd = observations.offset.T
        sizes = {"offset": sd, "programme": world.programme_sd, "place": world.place_sd, "stand": world.stand_sd}
        return mean + sum(sizes[level] * effects[level][observations.units[level]] for level in LEVELS)

    def move_units(
        self,
        level: str,
        world: World,
        logits: np.ndarray,
        effects: dict[str, np.ndarray],
        likelihood: np.ndarray,
        generator: np.random.Generator,
    ) -> np.ndarray:
        """Move the effects of a level's units in place, and return the new log likelihood [plantings]."""
        units, before = self._observations.units[level], effects[level]
        noise = generator.standard_normal(len(before))
        proposal = np.sqrt(1 - UNIT_STEP**2) * before + UNIT_STEP * noise
        new = self.likelihood(world, logits, effects | {level: proposal})
        gain = np.bincount(units, new - likelihood, minlength=len(before))
        moved = np.log(generator.random(len(before))) < gain
        effects[level] = np.where(moved, proposal, before)
        return np.where(moved[units], new, likelihood)
