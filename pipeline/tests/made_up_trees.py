"""A made-up table of outcomes of 2,000 trees with effects that the commands must recover."""

import numpy as np
import pandas as pd
from scipy.special import expit

from pipeline.evaluation.observed.predictions import predicted_survival
from pipeline.grid.arrow_file import Grid
from pipeline.models.artefacts import ModelArtefacts
from pipeline.models.recalibration import hazard_logits
from pipeline.outcomes.periods import HORIZONS, METHODS
from pipeline.outcomes.species import species_codes

SEED = 2000
PLOTS = 250
TREES_PER_PLOT = 8
SPECIES = ("PIPO", "PSME", "THPL", "TSHE")
INTERCEPT = 0.4
SLOPE = 0.7
"""Hazard logits of the made-up trees are INTERCEPT + SLOPE * those of the models, in each period."""
SITE_SD = 0.4
"""Standard deviation between plots, in logits."""
LOST_SHARE = 0.08
"""Chance after each visit that a living tree is not found again."""


def made_up_trees(grid: Grid, models: ModelArtefacts) -> pd.DataFrame:
    """Return an outcomes table of 2,000 trees that live a little worse than the models predict, and less extremely.

    Plots are in the native range of their species, half of them planted by hand and half drone-seeded, and visited in
    years 1, 3 and 5.
    """
    generator = np.random.default_rng(SEED)
    species = np.arange(PLOTS) % len(SPECIES)
    inside = [np.flatnonzero(grid.in_range(species_codes().index(code))) for code in SPECIES]
    point = np.array([generator.choice(inside[index]) for index in species])
    plots = pd.DataFrame(
        {
            "latitude": grid.latitude[point],
            "longitude": grid.longitude[point],
            "species_code": np.array(SPECIES)[species],
            "planting_method": np.array(METHODS)[np.arange(PLOTS) // len(SPECIES) % 2],
            "planted_year": generator.integers(2010, 2019, PLOTS),
        }
    )
    site = generator.normal(0.0, SITE_SD, (PLOTS, 1))
    logits = INTERCEPT + SLOPE * hazard_logits(predicted_survival(models, grid, plots, point)) + site
    years, alive = _followed(np.repeat(expit(logits), TREES_PER_PLOT, axis=0), generator)
    trees = plots.loc[np.repeat(plots.index, TREES_PER_PLOT)].reset_index(drop=True)
    return trees.assign(years_observed=years, alive=alive)


def _followed(hazard: np.ndarray, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return years observed and alive [trees] for hazards [trees, periods]."""
    died = generator.random(hazard.shape) < hazard
    lost = generator.random(hazard.shape) < LOST_SHARE
    # The first visit always takes place; the last ends the observation.
    ends = died | lost
    ends[:, -1] = True
    last = ends.argmax(axis=1)
    rows = np.arange(len(hazard))
    return np.array(HORIZONS)[last], (~died[rows, last]).astype(int)
