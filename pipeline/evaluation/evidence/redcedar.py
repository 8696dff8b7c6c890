"""The redcedars of the Open Redcedar Adaptation Network (CC0), planted in 2022: counts by visit, and a row per tree.

`data/redcedar.csv` has what volunteers found in each yearly visit: trees alive (the dying among them), dead, and not
found. A tree that was alive at a later visit was alive, and one that is not among the dead of a later visit was not.
"""

from pathlib import Path

import numpy as np
import pandas as pd

REDCEDAR = "Open Redcedar Adaptation Network"
VISITS = Path(__file__).with_name("data") / "redcedar.csv"
PLANTED_YEAR = 2022


def redcedar_visits() -> pd.DataFrame:
    """Return the visits with alive, dead and missing trees that later visits do not contradict."""
    visits = pd.read_csv(VISITS)
    backwards = visits[::-1].groupby(["place", "seed_zone"], sort=False)
    visits["alive"] = backwards["alive"].cummax()[::-1]
    visits["dead"] = backwards["dead"].cummin()[::-1]
    visits["missing"] = visits["planted"] - visits["alive"] - visits["dead"]
    return visits


def redcedar_trees() -> pd.DataFrame:
    """Return place, seed_zone, planted_year, years_observed and alive of each tree that was found after planting.

    A tree that was not found again is censored at the visit before; one that was never found is not in the table.
    """
    trees = []
    for (place, zone), visits in redcedar_visits().groupby(["place", "seed_zone"], sort=False):
        alive = visits["alive"].to_numpy()
        years = visits["years"].round().astype(int).to_numpy()
        died = np.diff(visits["dead"], prepend=0)
        lost = np.maximum(alive[:-1] - alive[1:] - died[1:], 0)
        fates = [(years[-1], 1, alive[-1]), *zip(years, 0 * years, died, strict=True)]
        fates += list(zip(years[:-1], 0 * years[:-1] + 1, lost, strict=True))
        for year, lives, count in sorted(fates):
            row = {"place": place, "seed_zone": zone, "species_code": visits["species_code"].iloc[0]}
            trees += [row | {"planted_year": PLANTED_YEAR, "years_observed": year, "alive": lives}] * count
    return pd.DataFrame(trees)
