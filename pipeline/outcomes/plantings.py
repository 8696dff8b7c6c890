"""Survival of single plantings with their own climate and practice in any world, to compare with evidence.

Everything that all worlds share is computed once, so that a world takes some milliseconds: a chain of worlds needs
tens of thousands of them.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pipeline.grid.arrow_file import Grid
from pipeline.outcomes.envelopes import AXES, Envelope, Environment, Scale, species_envelopes
from pipeline.outcomes.intercepts import PUBLISHED_SITE, expected_survival
from pipeline.outcomes.periods import HORIZONS, METHODS
from pipeline.outcomes.practice import LINEAR_PRACTICES, PRACTICES, SEEDS, practice_slopes
from pipeline.outcomes.seeds import seed_ratio, spot_logits
from pipeline.outcomes.simulation import Truth, solved_intercepts
from pipeline.outcomes.species import species_codes
from pipeline.outcomes.world import World


@dataclass(frozen=True)
class Group:
    """Plantings of one species and method: their `rows`, environment, and practice [rows, practices]."""

    rows: np.ndarray
    species: int
    method: str
    environment: Environment
    practice: np.ndarray


class Plantings:
    """Plantings [rows] whose survival can be computed in any world."""

    def __init__(self, grid: Grid, table: pd.DataFrame):
        """Take a table with a planting per row.

        Columns: latitude, longitude, species_code, planting_method, the grid columns of `AXES` in the grid's units, and
        optionally those of `PRACTICES`, where NaN is the default.
        """
        self._scale, everywhere = Scale.of_grid(grid), Environment.of_grid(grid)
        self.count = len(table)
        self._envelopes: list[Envelope] = species_envelopes(grid, everywhere)
        self._published = everywhere.at(np.array([grid.nearest(*PUBLISHED_SITE)]))
        place = table["latitude"].to_numpy(), table["longitude"].to_numpy()
        environment = Environment.of_values({name: table[name].to_numpy() for name in AXES}, *place, self._scale)
        practice = np.column_stack([_filled(table, feature) for feature in PRACTICES])
        self._groups = []
        for (code, method), rows in table.reset_index(drop=True).groupby(["species_code", "planting_method"]):
            chosen = rows.index.to_numpy()
            at_rows = environment.at(chosen), practice[chosen]
            self._groups.append(Group(chosen, species_codes().index(code), method, *at_rows))

    def logits(self, world: World) -> np.ndarray:
        """Return the hazard logits [rows, periods] without a site effect."""
        intercepts = solved_intercepts(world, self._published, self._envelopes)
        logits = np.zeros((self.count, len(HORIZONS)))
        for group in self._groups:
            truth = Truth(world, group.environment, self._scale, self._envelopes, intercepts)
            logits[group.rows] = practised_logits(truth, group.method, group.species, group.environment, group.practice)
        return logits

    def survival(self, world: World) -> np.ndarray:
        """Return expected survival [rows, horizons], averaged over the effects of programme, place, stand and plot."""
        logits, survival = self.logits(world), np.zeros((self.count, len(HORIZONS)))
        for group in self._groups:
            survival[group.rows] = expected_survival(logits[group.rows], world.site_sd(group.method))
        return survival


def practised_logits(
    truth: Truth, method: str, species: int, environment: Environment, practice: np.ndarray
) -> np.ndarray:
    """Return the hazard logits [points, periods] of the typical site of an environment under a practice [points, ...].

    `practice` has the columns of `PRACTICES`.
    """
    linear = len(LINEAR_PRACTICES)
    departures = practice[:, :linear] - np.array([feature.default for feature in LINEAR_PRACTICES])
    logits = truth.sown_logits(environment, method, species)
    logits = logits + departures @ practice_slopes(species, truth.world, method)
    if method == METHODS[0]:
        return logits
    return spot_logits(logits, seed_ratio(truth.world, practice[:, PRACTICES.index(SEEDS)]))


def _filled(table: pd.DataFrame, feature) -> np.ndarray:
    """Return a practice [rows], with its default where the table has none."""
    if feature.name not in table:
        return np.full(len(table), feature.default)
    return table[feature.name].fillna(feature.default).to_numpy(dtype=np.float64)
