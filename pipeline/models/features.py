"""Which grid columns the models see, and what a person calls them.

Seven grid columns stay out. Each says what those that are in say already, and a fit would hand one effect to two names,
or opposite halves of none:

- `canopy_cover`: the crown ratio is derived from it;
- `soil_organic_matter`: derived from precipitation;
- `precipitation_growing_season` and `climatic_water_deficit`: with annual precipitation and the maximum VPD they are
  the same drought;
- `temperature_mean`, `temperature_max` and `vpd_min`: temperature and dew point make the VPD, so the dew point, the
  maximum VPD and the January minimum settle them.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Feature:
    """A grid column in the model, the factor name a caller reads, and whether curves run along its logarithm."""

    name: str
    label: str
    logarithmic: bool = False


FEATURES = (
    Feature("elevation", "elevation"),
    Feature("terrain_ruggedness", "terrain ruggedness"),
    Feature("precipitation_annual", "precipitation", logarithmic=True),
    Feature("temperature_min_january", "January minimum temperature"),
    Feature("dew_point", "dew point temperature"),
    Feature("vpd_max", "vapor pressure deficit"),
    Feature("soil_water_capacity", "soil water capacity"),
    Feature("soil_clay", "soil clay"),
    Feature("crown_ratio", "crown ratio"),
)
FEATURE_NAMES = [feature.name for feature in FEATURES]
