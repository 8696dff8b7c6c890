"""The section of the model card on the features: errors, their effects on survival, and first risk factors."""

from pipeline.evaluation.forestry.native import error_effects, first_factor_shares, native_pairs
from pipeline.evaluation.forestry.plausibility import SPREAD
from pipeline.evaluation.graph import GraphModel
from pipeline.evaluation.model_card.text import markdown_table
from pipeline.grid.arrow_file import Grid
from pipeline.models.features import FEATURE_NAMES, FEATURES
from pipeline.models.input_errors import INPUT_ERRORS, MATCH_DISTANCE_KM, InputError
from pipeline.outcomes.periods import METHODS

# Inputs that were never checked against measurements at a place.
WITHOUT_LOCAL_TRUTH = ("soil_water_capacity", "soil_clay", "crown_ratio")
# Inputs whose error is a calculation from other errors and from assumptions, which `input_errors.py` states.
ASSUMED_ERROR = ("slope", "heat_load", "crown_ratio")


def inputs_section(grid: Grid, models: dict[str, GraphModel], *, simulated: bool) -> str:
    """Report for each feature its error as answered, the effect on survival, and how often it comes first."""
    pairs = native_pairs(grid)
    effects = {method: error_effects(grid, pairs, models[method]) for method in METHODS}
    shares = {method: first_factor_shares(pairs, models[method]) for method in METHODS}
    rows = [
        [
            feature.label + ("*" if feature.name in WITHOUT_LOCAL_TRUTH else ""),
            grid.units[feature.name],
            _error(INPUT_ERRORS[feature.name]) + (" (assumed)" if feature.name in ASSUMED_ERROR else ""),
            *(f"{effects[method][column]:.3f}" for method in METHODS),
            *(f"{shares[method][column]:.0%}" for method in METHODS),
        ]
        for column, feature in enumerate(FEATURES)
    ]
    header = ["feature", "unit", "standard error"]
    header += [f"RMSE of survival, {method}" for method in METHODS]
    header += [f"first factor, {method}" for method in METHODS]
    weak = [FEATURE_NAMES.index(name) for name in WITHOUT_LOCAL_TRUTH]
    leading = " and ".join(f"{shares[method][weak].sum():.0%} ({method})" for method in METHODS)
    weight = (
        " Their effects are simulated\nwith the part of their weight that they deserve (`docs/simulation.md`)."
        if simulated
        else ""
    )
    return f"""## Inputs: errors, and what they do

Over {len(pairs.point):,} pairs of a species and a grid point in its native range, of every {SPREAD}th grid point,
year 5.

*Standard error* is that of the nearest point's value at a site {MATCH_DISTANCE_KM:g} km away, the root mean square
distance. It comes from the errors measured in `data/README.md`: at forested plots, for soil water and clay at basin
means (within basins soils differ more). Vapor pressure deficit and dew point were compared in Washington only. The
errors marked as assumed are calculated from other errors and assumptions (`pipeline/models/input_errors.py`).

*RMSE of survival* is the change in survival when this input alone is off by its error; that of the soil water is each
point's own. *First factor* is the share of pairs of which the feature is the first risk factor.

{markdown_table(header, rows)}

Features with an asterisk were never compared with the soil or the canopy of a place. They come first in
{leading} of the pairs.{weight}"""


def _error(error: InputError) -> str:
    size = error.as_answered()
    return f"{size:.1%}" if error.relative else f"{size:.3g}"
