"""The true annual-or-longer mortality hazards that outcomes are drawn from; docs/simulation.md cites each term.

Every term is a logit added to the hazard of a period, given per species as [points]. Terms that belong to one grid
variable are kept under its name, so that recovery can be measured; `interaction` terms belong to none.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.envelopes import Envelope, axis_values
from pipeline.hazard_grid import Grid
from pipeline.species import Species

# Relative weight of each process in year 1, years 2-3 and years 4-5: drought and frost act on small roots and
# shoots, competition when neighbours close in, climate out of the envelope all along.
PROCESS_WEIGHTS = {
    "drought": (1.0, 0.8, 0.6),
    "frost": (1.0, 0.7, 0.5),
    "competition": (0.6, 1.0, 1.1),
    "soil": (1.0, 0.8, 0.6),
    "terrain": (1.0, 0.6, 0.4),
    "envelope": (1.0, 0.9, 0.8),
}
# Seed and germinants meet a hazard more directly than a planted seedling with a year of roots.
SEED_FACTORS = {
    "drought": 1.25,
    "frost": 1.1,
    "competition": 1.25,
    "soil": 1.2,
    "terrain": 1.0,
    "envelope": 1.0,
}
ENVELOPE_CAP = 2.0


@dataclass(frozen=True)
class Term:
    """One effect: the grid variable it belongs to (`interaction` if several) and its logit [points]."""

    variable: str
    process: str
    logit: np.ndarray


def standard_score(grid: Grid, name: str, *, log: bool = False) -> np.ndarray:
    """Return a column less its median, over its interquartile range as a normal standard deviation."""
    values = grid.columns[name].astype(np.float64)
    values = np.log(values) if log else values
    q25, q50, q75 = np.quantile(values, (0.25, 0.5, 0.75))
    return (values - q50) / ((q75 - q25) / 1.349)


def beyond(distance: np.ndarray) -> np.ndarray:
    """Return the logit cost of lying `distance` spreads outside an envelope: quadratic, then linear, then capped."""
    outside = np.maximum(distance, 0.0)
    return ENVELOPE_CAP * np.tanh(4.0 * outside**2 / (1.0 + outside) / ENVELOPE_CAP)


def bounded(score: np.ndarray, limit: float = 2.0) -> np.ndarray:
    """Return a score that levels off at +-limit: effects on trees saturate."""
    return limit * np.tanh(score / limit)


def species_terms(grid: Grid, species: Species, envelope: Envelope, method: str) -> list[Term]:
    """Return every term of a species and method."""
    thirst = 1.3 - 0.15 * species.drought_tolerance
    frost = 1.3 - 0.2 * species.frost_tolerance
    light = (3.4 - species.shade_tolerance) / 2.0
    dryness = bounded(standard_score(grid, "vpd_max"))
    soil = bounded(standard_score(grid, "soil_water_capacity"))
    rain = bounded(standard_score(grid, "precipitation_annual", log=True))
    openness = bounded(standard_score(grid, "crown_ratio"))
    rough = bounded(standard_score(grid, "terrain_ruggedness"))
    steep_seed = 0.30 if method == "drone_seeded" else 0.0

    def low(axis: str) -> np.ndarray:
        return beyond((envelope.low[axis] - axis_values(grid, axis)) / envelope.spread[axis])

    def high(axis: str) -> np.ndarray:
        return beyond((axis_values(grid, axis) - envelope.high[axis]) / envelope.spread[axis])

    thin_and_dry = np.maximum(dryness, 0.0) * np.maximum(-soil, 0.0)
    return [
        Term("vpd_max", "drought", 0.50 * thirst * dryness),
        Term("vpd_max", "envelope", high("vpd_max")),
        Term("precipitation_annual", "drought", -0.40 * thirst * rain),
        Term("precipitation_annual", "envelope", low("precipitation_annual")),
        Term("precipitation_annual", "envelope", 0.6 * high("precipitation_annual") * (species.drought_tolerance > 3)),
        Term(
            "precipitation_growing_season",
            "drought",
            -0.12 * thirst * bounded(standard_score(grid, "precipitation_growing_season", log=True)),
        ),
        Term(
            "climatic_water_deficit", "drought", 0.18 * thirst * bounded(standard_score(grid, "climatic_water_deficit"))
        ),
        Term("soil_water_capacity", "soil", -0.40 * thirst * soil),
        Term("dew_point", "drought", -0.35 * thirst * bounded(standard_score(grid, "dew_point"))),
        Term("dew_point", "frost", 0.5 * low("dew_point")),
        Term("temperature_min_january", "frost", (0.4 + frost) * low("temperature_min_january")),
        Term("temperature_mean", "envelope", 0.6 * high("temperature_mean") + 0.4 * low("temperature_mean")),
        Term("elevation", "envelope", 0.7 * high("elevation") + 0.5 * low("elevation")),
        Term("elevation", "frost", 0.30 * frost * bounded(standard_score(grid, "elevation"))),
        Term("crown_ratio", "competition", -0.28 * light * openness),
        Term("terrain_ruggedness", "terrain", (0.10 + steep_seed) * rough),
        Term("soil_clay", "soil", 0.06 * bounded(standard_score(grid, "soil_clay")) ** 2),
        Term("soil_organic_matter", "soil", -0.10 * bounded(standard_score(grid, "soil_organic_matter"))),
        Term("interaction", "drought", 0.15 * thirst * thin_and_dry),
        Term("interaction", "drought", 0.06 * dryness * openness),
    ]


def predictor(grid: Grid, species: Species, envelope: Envelope, method: str) -> np.ndarray:
    """Return float64 [points, periods]: everything but the intercepts and the unexplained variation."""
    total = np.zeros((len(grid.latitude), 3))
    for term in species_terms(grid, species, envelope, method):
        weights = np.array(PROCESS_WEIGHTS[term.process])
        if method == "drone_seeded":
            weights = weights * SEED_FACTORS[term.process]
        total += term.logit[:, None] * weights
    vigor = species.planting_vigor if method == "manual" else species.seeding_vigor
    return total - vigor
