"""Scores of each planting method and horizon: of all trees, by species, by ecoregion and by one-degree block."""

import numpy as np
import pandas as pd
from tqdm import tqdm

from pipeline.evaluation.observed.censoring import known_alive, known_dead
from pipeline.evaluation.observed.measures import Trees, intervals, measures
from pipeline.outcomes.periods import HORIZONS

ECOREGIONS = {
    1: "Coast Range",
    2: "Puget Lowland",
    3: "Willamette Valley",
    4: "Cascades",
    5: "Sierra Nevada",
    9: "Eastern Cascades Slopes and Foothills",
    10: "Columbia Plateau",
    11: "Blue Mountains",
    12: "Snake River Plain",
    15: "Northern Rockies",
    77: "North Cascades",
    78: "Klamath Mountains",
    80: "Northern Basin and Range",
}
"""EPA level III ecoregions of both states by code."""
GROUPS = ("all", "species", "ecoregion", "block")


def block_label(name: int) -> str:
    """Return the south-west corner of a block, such as 44 N 123 W, from its name (`blocks.block_names`)."""
    latitude = round(name / 1000)
    return f"{latitude} N {1000 * latitude - name} W"


def group_scores(rows: pd.DataFrame, trees: dict[str, Trees], replicates: int, seed: int) -> list[dict]:
    """Return one entry per planting method, group and horizon.

    `rows` has the species, ecoregion and block of each tree and its planting method; `trees` the trees of each method
    in the same order. Blocks have no interval: a bootstrap of blocks needs several.
    """
    entries = []
    for method, of_method in trees.items():
        labels = rows[rows["planting_method"] == method].assign(all="all")
        chosen = [(group, value) for group in GROUPS for value in np.unique(labels[group])]
        for group, value in tqdm(chosen, desc=f"scores of {method}"):
            members = of_method[(labels[group] == value).to_numpy()]
            draws = 0 if group == "block" else replicates
            for column, horizon in enumerate(HORIZONS):
                head = {"planting_method": method, "group": group, "value": value, "horizon_years": horizon}
                entries.append(head | _entry(members, column, draws, seed))
    return entries


def _entry(trees: Trees, column: int, replicates: int, seed: int) -> dict:
    found, missing = measures(trees, column)
    ranges = intervals(trees, column, replicates, seed)
    certain = ~trees.unknown[:, column]
    dead, alive = (
        int((known(trees.follow_up, HORIZONS[column]) & certain).sum()) for known in (known_dead, known_alive)
    )
    return {
        "trees": len(trees.block),
        "blocks": len(np.unique(trees.block)),
        "dead": dead,
        "alive": alive,
        "lost": len(trees.block) - dead - alive,
        **{
            name: {"value": value} | (dict(zip(("low", "high"), ranges[name], strict=True)) if name in ranges else {})
            for name, value in found.items()
        },
        "not_estimable": missing,
    }
