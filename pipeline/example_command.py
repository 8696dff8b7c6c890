"""``python -m pipeline example``: writes a real table of outcomes, to try the commands that read one.

Western redcedars around Puget Sound (Open Redcedar Adaptation Network, CC0), a row per tree.
"""

from pathlib import Path

import pandas as pd

from pipeline.evaluation.evidence.places import read_places
from pipeline.evaluation.evidence.redcedar import REDCEDAR, redcedar_trees
from pipeline.grid.arrow_file import Grid, read_grid
from pipeline.grid.data_files import GRID


def run(output: Path) -> None:
    """Write the table as CSV."""
    trees = redcedar_table(read_grid(GRID))
    trees.to_csv(output, index=False, float_format="%.5f", lineterminator="\n")
    print(f"wrote {len(trees)} trees to {output}")


def redcedar_table(grid: Grid) -> pd.DataFrame:
    """Return the outcomes table of the redcedars, at the grid points nearest to their parks.

    The parks lie up to seven kilometres from a forest point, and one is known by name only.
    """
    trees = redcedar_trees()
    places = {place["place"]: place for place in read_places() if place["source"] == REDCEDAR}
    points = [grid.nearest(places[name]["latitude"], places[name]["longitude"]) for name in trees["place"]]
    table = trees.assign(latitude=grid.latitude[points], longitude=grid.longitude[points], planting_method="manual")
    columns = ["latitude", "longitude", "species_code", "planting_method", "planted_year", "years_observed", "alive"]
    return table[[*columns, "place", "seed_zone"]]
