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

import numpy as np

from pipeline.outcomes.practice import DEFAULTS, PRACTICES


@dataclass(frozen=True)
class Feature:
    """A grid column in the model, its factor name for callers, and whether its curves are in its logarithm.

    `harm` is 1 if a higher value may never raise survival, -1 if a lower one may not, 0 if neither is known for every
    species. `reach` are values beyond those of the grid to which the curves continue, as a changed climate needs.
    `minimum` is the least value that a caller may state, if it is not that of the column. Models of simulated outcomes
    take a `given` curve from the simulation: no feature states latitude and distance from the crest, which move the
    zones of the species, and a fit of the January minimum takes up their effects, which a warmer January does not have.
    """

    name: str
    label: str
    logarithmic: bool = False
    harm: int = 0
    reach: tuple[float, float] | None = None
    minimum: float | None = None
    given: bool = False


FEATURES = (
    Feature("elevation", "elevation", minimum=-10.0),
    Feature("terrain_ruggedness", "terrain ruggedness", harm=1),
    Feature("slope", "slope", harm=1),
    Feature("heat_load", "heat load", harm=1),
    Feature("precipitation_annual", "precipitation", logarithmic=True, reach=(100.0, 6000.0)),
    Feature("temperature_min_january", "January minimum temperature", reach=(-25.0, 10.0), given=True),
    Feature("dew_point", "dew point temperature"),
    Feature("vpd_max", "vapor pressure deficit", harm=1, reach=(3.0, 30.0)),
    Feature("soil_water_capacity", "soil water capacity", harm=-1),
    Feature("soil_clay", "soil clay"),
    Feature("crown_ratio", "crown ratio"),
)
FEATURE_NAMES = [feature.name for feature in FEATURES]
INPUT_NAMES = FEATURE_NAMES + [practice.name for practice in PRACTICES]
"""The inputs of the graphs: the grid's features, then those of the practice."""


def with_practice(features: np.ndarray, practice: np.ndarray | None = None) -> np.ndarray:
    """Return the inputs float32 [rows, inputs] of grid features [rows, features] and a practice [rows, practices].

    Without one the practice is the default. Inputs that have a practice already are returned as they are.
    """
    if features.shape[1] == len(INPUT_NAMES):
        return features.astype(np.float32)
    stated = np.broadcast_to(DEFAULTS if practice is None else practice, (len(features), len(PRACTICES)))
    return np.column_stack([features, stated]).astype(np.float32)
