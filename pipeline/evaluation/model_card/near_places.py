"""The section of the model card on near places."""

import numpy as np

from pipeline.evaluation.forestry.local_contrast import DISTANCE_KM, differences, near_pairs, opposite_slopes
from pipeline.evaluation.graph import GraphModel
from pipeline.evaluation.grid.validation import west_of_crest
from pipeline.evaluation.model_card.text import markdown_table
from pipeline.grid.arrow_file import Grid
from pipeline.models.features import FEATURE_NAMES
from pipeline.outcomes.intercepts import PUBLISHED_SPECIES
from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.species import species_codes

PAIRS_SEED = 1
SMALL_DIFFERENCE = 0.05
AIM = 0.95


def near_places_section(grid: Grid, models: dict[str, GraphModel]) -> str:
    """Report how much answers jump from point to point, and how much opposite slopes differ."""
    pairs = near_pairs(grid, PAIRS_SEED)
    rows, small = [], {}
    for method in METHODS:
        change = differences(grid, models[method], pairs)
        small[method] = 1 - pairs.changes * (change > SMALL_DIFFERENCE).mean()
        quantiles = (f"{value:.3f}" for value in np.quantile(change, (0.5, 0.95, 0.99)))
        rows.append([method, *quantiles, f"{small[method]:.1%}"])
    header = ["method", "median", "95th percentile", "99th percentile", f"all pairs up to {SMALL_DIFFERENCE}"]
    verdicts = (f"{method} {'reached' if share >= AIM else '**not reached**'}" for method, share in small.items())
    return f"""## Near places

Of two places {DISTANCE_KM * 1000:.0f} m apart, {pairs.changes:.0%} are answered by two points. The difference in
survival to year 5 between those, over the species native to both; the other pairs have none:

{markdown_table(header, rows)}

Aim: a difference of at most {SMALL_DIFFERENCE} in {AIM:.1%} of all pairs: {", ".join(verdicts)}.

{_slopes(grid, models)}"""


def _slopes(grid: Grid, models: dict[str, GraphModel]) -> str:
    north, south = opposite_slopes(grid)
    species = species_codes().index(PUBLISHED_SPECIES)
    native = grid.in_range(species)
    both = native[north] & native[south]
    north, south = north[both], south[both]
    features = grid.features(FEATURE_NAMES)
    west = west_of_crest(grid.latitude[north], grid.longitude[north])
    rows = []
    for side, chosen in (("east", ~west), ("west", west)):
        for method in METHODS:
            means = (
                models[method].survival(features[slope[chosen]], np.full(chosen.sum(), species))[:, -1].mean()
                for slope in (north, south)
            )
            rows.append([side, method, f"{chosen.sum():,}", *(f"{mean:.3f}" for mean in means)])
    header = ["side of the Cascades", "method", "pairs", "north slope", "south slope"]
    return (
        f"{PUBLISHED_SPECIES} on opposite steep slopes of a valley, at the same height and at most 2 km apart, "
        f"survival to year 5:\n\n{markdown_table(header, rows)}"
    )
