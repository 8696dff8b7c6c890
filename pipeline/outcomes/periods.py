"""Planting methods and periods, and counts of trees at risk and dead by grid point, species, method and period.

Periods are year 1, years 2-3 and years 4-5. A tree is at risk in every period that it entered. A tree last seen alive
in the middle of a period counts there as a fraction of a tree, the actuarial estimate for censored lives (Cutler and
Ederer 1958), and not in later periods. Years after the fifth are not used.

A death counts in the period of the visit that found it. That is wrong where the visit before lies in an earlier period:
`unplaced` and `unknown_status` say of which trees, `is_too_many` whether they are so many that nothing can be said.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

from pipeline.grid.arrow_file import Grid
from pipeline.grid.points import SEARCH_RADIUS_KM
from pipeline.grid.projection import great_circle_km
from pipeline.outcomes.species import species_codes

METHODS = ("manual", "drone_seeded")
HORIZONS = (1, 3, 5)
"""Years from planting to the end of each period."""
PERIOD_YEARS = (1, 2, 2)
"""Length of each period in years."""
PERIOD_NAMES = ("year 1", "years 2 to 3", "years 4 to 5")
MAX_UNPLACED = 0.05
"""Share of the deaths of a period, or by a horizon, that may be of another period, or after it."""


@dataclass(frozen=True)
class PeriodCounts:
    """Rows of one method: grid point and species index [rows], at_risk and died float64 [rows, periods]."""

    point: np.ndarray
    species: np.ndarray
    at_risk: np.ndarray
    died: np.ndarray

    def of_points(self, chosen: np.ndarray) -> "PeriodCounts":
        """Return the rows whose grid point is chosen, bool [points]."""
        keep = chosen[self.point]
        return PeriodCounts(self.point[keep], self.species[keep], self.at_risk[keep], self.died[keep])


def match_points(grid: Grid, latitude: np.ndarray, longitude: np.ndarray) -> np.ndarray:
    """Return the nearest grid point of each position, -1 where none lies within the search radius."""
    _, nearest = cKDTree(_unit_vectors(grid.latitude, grid.longitude)).query(_unit_vectors(latitude, longitude))
    distance = great_circle_km(latitude, longitude, grid.latitude[nearest], grid.longitude[nearest])
    return np.where(distance <= SEARCH_RADIUS_KM, nearest, -1)


def tree_periods(years: np.ndarray, alive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return at_risk and died, float64 [trees, periods], for years observed and alive at the last visit [trees]."""
    starts = np.subtract(HORIZONS, PERIOD_YEARS)
    dies = ~alive[:, None] & (years[:, None] > starts) & (years[:, None] <= HORIZONS)
    seen = np.clip((years[:, None] - starts) / PERIOD_YEARS, 0.0, 1.0)
    followed = alive[:, None] | (years[:, None] > HORIZONS)
    return np.where(dies, 1.0, np.where(followed, seen, 0.0)), dies.astype(np.float64)


def seen_alive(outcomes: pd.DataFrame) -> np.ndarray:
    """Return the years [trees] from planting to the last visit that found each tree alive, 0 if none did.

    Where the table does not say it (`years_alive` is NaN), a dead tree is taken to have been visited in every year in
    which the observation of any tree of its method ends.
    """
    years, dead = outcomes["years_observed"].to_numpy(dtype=np.float64), outcomes["alive"].to_numpy() == 0
    seen = np.where(dead, 0.0, years)
    for method in METHODS:
        mine = (outcomes["planting_method"] == method).to_numpy()
        visits = np.concatenate([[0.0], np.unique(years[mine])])
        before = visits[np.searchsorted(visits, years) - 1]
        seen = np.where(mine & dead, before, seen)
    stated = outcomes["years_alive"].to_numpy(dtype=np.float64)
    return np.where(dead & ~np.isnan(stated), stated, seen)


def unplaced(years: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return which trees may have died in each period or in another, bool [trees, periods].

    `years` is to the last visit and `seen` to the last that found the tree alive, both [trees].
    """
    starts = np.subtract(HORIZONS, PERIOD_YEARS)
    first, last = seen[:, None], years[:, None]
    return (first < HORIZONS) & (last > starts) & (first < last) & ((first < starts) | (last > HORIZONS))


def unknown_status(years: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return which trees died before or after each horizon, bool [trees, horizons]; see :func:`unplaced`."""
    return (seen[:, None] < HORIZONS) & (years[:, None] > HORIZONS)


def is_too_many(unclear: np.ndarray, dead: np.ndarray) -> bool:
    """Return whether the unclear deaths are more than MAX_UNPLACED of them and the deaths, both bool [trees]."""
    return bool(unclear.sum() > MAX_UNPLACED * (unclear | dead).sum())


def period_counts(outcomes: pd.DataFrame, point: np.ndarray, method: str) -> PeriodCounts:
    """Return the counts of one method, of the rows that have a grid point."""
    used = (outcomes["planting_method"].to_numpy() == method) & (point >= 0)
    chosen = outcomes[used]
    at_risk, died = tree_periods(chosen["years_observed"].to_numpy(), chosen["alive"].to_numpy() == 1)
    columns = {f"at_risk{period}": at_risk[:, period] for period in range(len(HORIZONS))}
    columns |= {f"died{period}": died[:, period] for period in range(len(HORIZONS))}
    codes = pd.Index(species_codes()).get_indexer(chosen["species_code"])
    sums = pd.DataFrame({"species": codes, "point": point[used], **columns}).groupby(["species", "point"]).sum()
    periods = range(len(HORIZONS))
    return PeriodCounts(
        point=sums.index.get_level_values("point").to_numpy(),
        species=sums.index.get_level_values("species").to_numpy(),
        at_risk=sums[[f"at_risk{period}" for period in periods]].to_numpy(),
        died=sums[[f"died{period}" for period in periods]].to_numpy(),
    )


def _unit_vectors(latitude: np.ndarray, longitude: np.ndarray) -> np.ndarray:
    phi, lam = np.radians(latitude), np.radians(longitude)
    return np.column_stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])
