"""The sentence about its error that each column carries, in the file's metadata and in ``data/README.md``."""

from pipeline.grid.columns.definitions import COLUMNS

_NO_TRUTH = {
    "precipitation_growing_season": "No truth at hand for the season's share; the annual amount's error applies to it.",
    "temperature_max": "No truth at hand in Oregon.",
    "dew_point": "No truth at hand in Oregon.",
    "vpd_max": "No truth at hand in Oregon.",
    "vpd_min": "No truth at hand in Oregon, where the raster is the same product.",
    "climatic_water_deficit": "No truth at hand in Washington.",
    "soil_water_capacity": "No truth at hand below basin scale, where soils differ most.",
    "soil_clay": "No truth at hand below basin scale, where soils differ most.",
    "soil_organic_matter": "No truth at hand: a relation from the literature, not a measurement.",
    "crown_ratio": "No truth at hand: a relation from the literature with assumed constants.",
}


def error_sentences(scores):
    """``{column: text}`` for every column: its scores, then what could not be measured."""
    return {column.name: _sentence(column, scores) for column in COLUMNS}


def _sentence(column, scores):
    measured = "; ".join(s.sentence(column.unit) for s in scores if s.column == column.name)
    return " ".join(part for part in (measured and measured + ".", _NO_TRUTH.get(column.name)) if part)
