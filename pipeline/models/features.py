"""The grid columns that are features of the models, and their names for callers.

Of the other grid columns some duplicate information of the features, and a fit would split one effect between two
names, or give them opposite effects that cancel:

- `canopy_cover`: the crown ratio is derived from it;
- `eastness` and `northness`: with the slope, the heat load is made of them;
- `rock_depth`: the soil water capacity is derived from it;
- `precipitation_growing_season` and `climatic_water_deficit`: with annual precipitation and the maximum VPD they
  describe the same drought;
- `temperature_mean`, `temperature_max` and `vpd_min`: temperature and dew point determine the VPD, so these follow
  from the dew point, the maximum VPD and the January minimum.

Slope and terrain ruggedness are both features although most of one is in the other (rank correlation 0.89): a crew
measures the slope, and the ruggedness has a measured error. Both raise the hazard, so their effects do not cancel.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Feature:
    """A grid column in the model, its factor name for callers, and whether its curves are in its logarithm."""

    name: str
    label: str
    logarithmic: bool = False


FEATURES = (
    Feature("elevation", "elevation"),
    Feature("terrain_ruggedness", "terrain ruggedness"),
    Feature("slope", "slope"),
    Feature("heat_load", "heat load"),
    Feature("precipitation_annual", "precipitation", logarithmic=True),
    Feature("temperature_min_january", "January minimum temperature"),
    Feature("dew_point", "dew point temperature"),
    Feature("vpd_max", "vapor pressure deficit"),
    Feature("soil_water_capacity", "soil water capacity"),
    Feature("soil_clay", "soil clay"),
    Feature("crown_ratio", "crown ratio"),
)
FEATURE_NAMES = [feature.name for feature in FEATURES]
