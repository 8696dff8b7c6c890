"""Simulate the outcomes of planting programmes, as a table like one from the field.

The trees follow the hazards of `true_hazards` plus a site effect that no grid column explains. The table has what a
crew would record: place, species, method, year, and whether the tree lived. It does not have the hazards.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit
from tqdm import tqdm

from pipeline.grid.arrow_file import Grid
from pipeline.outcomes.envelopes import Envelope, species_envelopes
from pipeline.outcomes.intercepts import (
    PUBLISHED_SITE,
    PUBLISHED_SPECIES,
    PUBLISHED_SURVIVAL,
    SITE_SD,
    expected_survival,
    intercepts,
)
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.species import all_species, species_codes
from pipeline.outcomes.true_hazards import predictor

PLOTS = 10_000
TREES_PER_PLOT = 8
NATIVE_SHARE = 0.6
"""Share of plots inside the native range; the others are off-site trials, which show where not to plant."""
LOST_SHARE = 0.06
"""Chance at each visit after the first that a living tree is not found or not visited again."""
PLANTED_YEARS = np.arange(2008, 2019)
VISITS = (1, 3, 5)


@dataclass(frozen=True)
class Truth:
    """Hazard logits, float32 [species, points, periods], of each method at the typical site, and the envelopes."""

    logits: dict[str, np.ndarray]
    envelopes: list[Envelope]

    def survival(self, method: str, species: np.ndarray, point: np.ndarray) -> np.ndarray:
        """Return expected survival [rows, horizons] of species at points [rows], the best prediction from the grid."""
        return expected_survival(self.logits[method][species, point].astype(np.float64))


def true_process(grid: Grid) -> Truth:
    """Return the hazards of every species at every grid point."""
    envelopes = species_envelopes(grid)
    site = grid.nearest(*PUBLISHED_SITE)
    anchor = species_codes().index(PUBLISHED_SPECIES)
    logits = {}
    for method in METHODS:
        eta = np.stack(
            [
                predictor(grid, species, envelope, method).astype(np.float32)
                for species, envelope in zip(all_species(), envelopes, strict=True)
            ]
        )
        level = intercepts(eta[anchor, site].astype(np.float64), PUBLISHED_SURVIVAL[method])
        eta += level.astype(np.float32)
        logits[method] = eta
    return Truth(logits, envelopes)


def simulated_outcomes(grid: Grid, truth: Truth, seed: int) -> pd.DataFrame:
    """Return an outcomes table (see `table`) of PLOTS plots a species and method, TREES_PER_PLOT trees each."""
    generator = np.random.default_rng(seed)
    tables = []
    for method in METHODS:
        for index, code in enumerate(tqdm(species_codes(), desc=f"simulate {method}")):
            points = _plot_points(truth.envelopes[index].inside, generator)
            years, alive = _followed_trees(truth.logits[method][index, points], generator)
            planted = generator.choice(PLANTED_YEARS, size=PLOTS)
            tables.append(
                pd.DataFrame(
                    {
                        "latitude": np.repeat(grid.latitude[points], TREES_PER_PLOT),
                        "longitude": np.repeat(grid.longitude[points], TREES_PER_PLOT),
                        "species_code": code,
                        "planting_method": method,
                        "planted_year": np.repeat(planted, TREES_PER_PLOT),
                        "years_observed": years.ravel(),
                        "alive": alive.ravel(),
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)


def _plot_points(inside: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    native = round(PLOTS * NATIVE_SHARE)
    return np.concatenate(
        [generator.choice(np.flatnonzero(inside), size=native), generator.choice(len(inside), size=PLOTS - native)]
    )


def _followed_trees(logits: np.ndarray, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return years observed and alive, both [plots, trees], for plots with hazard logits [plots, periods]."""
    site_effect = generator.normal(0.0, SITE_SD, size=(len(logits), 1))
    shape = (len(logits), TREES_PER_PLOT)
    years = np.zeros(shape, dtype=np.int64)
    alive = np.ones(shape, dtype=np.int64)
    followed = np.ones(shape, dtype=bool)
    for period, visit in enumerate(VISITS):
        if period > 0:
            followed &= generator.random(shape) >= LOST_SHARE
        dies = followed & (generator.random(shape) < expit(logits[:, period, None] + site_effect))
        years[followed] = visit
        alive[dies] = 0
        followed &= ~dies
    return years, alive
