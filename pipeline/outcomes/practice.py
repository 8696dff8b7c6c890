"""What a planner decides about a planting, as features that are no columns of the grid.

At its default, the average practice of plantings, a feature changes nothing. The effects of vegetation and overstory
are sizes of `World`; the seeds of a spot follow from the chance that at least one of them lives (`seeds.py`).
"""

from dataclasses import dataclass

import numpy as np

from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.seeds import SEEDS_PER_SPOT
from pipeline.outcomes.species import all_species
from pipeline.outcomes.world import World


@dataclass(frozen=True)
class PracticeFeature:
    """A feature of the practice; `methods` are those that it concerns."""

    name: str
    label: str
    unit: str
    minimum: float
    maximum: float
    default: float
    methods: tuple[str, ...] = METHODS


VEGETATION_CONTROL = PracticeFeature("vegetation_control", "vegetation control", "1", 0.0, 1.0, 0.5)
"""Share of competing vegetation that is controlled in the first years: 0 none, 1 complete."""
OVERSTORY_COVER = PracticeFeature("overstory_cover", "overstory cover", "percent", 0.0, 100.0, 10.0)
"""Cover of the standing trees, percent: most plantings follow a harvest or a fire that leaves few."""
SEEDS = PracticeFeature("seeds_per_spot", "seeds per spot", "seeds", 1.0, 10_000.0, SEEDS_PER_SPOT, METHODS[1:])
"""Viable seeds in one pod."""

PRACTICES = (VEGETATION_CONTROL, OVERSTORY_COVER, SEEDS)
LINEAR_PRACTICES = PRACTICES[:2]
"""The features of the practice that have a linear effect on the logit of the hazard."""
DEFAULTS = np.array([practice.default for practice in PRACTICES], dtype=np.float32)


def practice_slopes(index: int, world: World, method: str) -> np.ndarray:
    """Return the change of the hazard logits [practices, periods] by a unit of each of `LINEAR_PRACTICES`.

    Species that need light suffer most from both (`World.vegetation`, `World.overstory`).
    """
    shade_rank = all_species()[index].shade_tolerance + world.shade_rank_shift[index] - 3
    vegetation = max(world.vegetation - world.vegetation_rank_effect * shade_rank, 0.0)
    overstory = max(world.overstory - world.overstory_rank_effect * shade_rank, 0.0)
    sizes = np.array([-vegetation, overstory / OVERSTORY_COVER.maximum])
    if method != METHODS[0]:
        sizes *= 1.0 + world.seed_excess["practice"]
    return sizes[:, None] * np.array(world.process_weights["practice"])
