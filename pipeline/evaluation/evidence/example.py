"""The table that `python -m pipeline example` writes, and its plantings among those that models are compared with."""

import hashlib

from pipeline.evaluation.evidence.places import read_places
from pipeline.evaluation.evidence.redcedar import REDCEDAR, redcedar_trees
from pipeline.grid.arrow_file import Grid
from pipeline.models.artefacts import known_tables


def example_table(grid: Grid) -> bytes:
    """Return the outcomes table of the redcedars as CSV, at the grid points nearest to their parks.

    The parks lie up to seven kilometres from a forest point, and one is known by name only.
    """
    trees = redcedar_trees()
    places = {place["place"]: place for place in read_places() if place["source"] == REDCEDAR}
    points = [grid.nearest(places[name]["latitude"], places[name]["longitude"]) for name in trees["place"]]
    table = trees.assign(latitude=grid.latitude[points], longitude=grid.longitude[points], planting_method="manual")
    columns = ["latitude", "longitude", "species_code", "planting_method", "planted_year", "years_observed", "alive"]
    text = table[[*columns, "place", "seed_zone"]].to_csv(index=False, float_format="%.5f", lineterminator="\n")
    return text.encode()


def known_sources(grid: Grid, provenance: dict) -> set[str]:
    """Return the sources of plantings that models know from a table, by its SHA-256 in their provenance."""
    tables = {table["sha256"] for table in known_tables(provenance)}
    return {REDCEDAR} if tables and hashlib.sha256(example_table(grid)).hexdigest() in tables else set()
