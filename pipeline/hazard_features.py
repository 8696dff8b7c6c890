"""Which grid columns the models see, and what a person calls them.

Two grid columns stay out because they would only share another feature's effect under a second name:
`temperature_max` (mean temperature with the VPD says it) and `canopy_cover` (the crown ratio is derived from it).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Feature:
    """A grid column in the model and the factor name a caller reads."""

    name: str
    label: str


FEATURES = (
    Feature("elevation", "elevation"),
    Feature("terrain_ruggedness", "terrain ruggedness"),
    Feature("precipitation_annual", "precipitation"),
    Feature("precipitation_growing_season", "growing-season precipitation"),
    Feature("temperature_mean", "mean temperature"),
    Feature("temperature_min_january", "January minimum temperature"),
    Feature("dew_point", "dew point temperature"),
    Feature("vpd_max", "vapor pressure deficit"),
    Feature("vpd_min", "minimum vapor pressure deficit"),
    Feature("climatic_water_deficit", "climatic water deficit"),
    Feature("soil_water_capacity", "soil water capacity"),
    Feature("soil_clay", "soil clay"),
    Feature("soil_organic_matter", "soil organic matter"),
    Feature("crown_ratio", "crown ratio"),
)
FEATURE_NAMES = [feature.name for feature in FEATURES]
METHODS = ("manual", "drone_seeded")
HORIZONS = (1, 3, 5)
PERIOD_YEARS = (1, 2, 2)
