"""The true mortality hazards of each period, from which outcomes are drawn; docs/simulation.md cites each term.

Every term is a logit [points] of a species, added to the hazard of a period. A term is named after the grid variable
that it depends on, so that its recovery can be measured; `interaction` terms depend on several.
"""

from dataclasses import dataclass

import numpy as np

from pipeline.grid.arrow_file import Grid
from pipeline.outcomes.envelopes import Envelope, axis_values
from pipeline.outcomes.species import Species

# Relative weight of each process in year 1, years 2-3 and years 4-5: drought and frost act on small roots and shoots,
# competition once neighbours have grown, a climate outside the envelope in all years.
PROCESS_WEIGHTS = {
    "drought": (1.0, 0.8, 0.6),
    "frost": (1.0, 0.7, 0.5),
    "competition": (0.8, 1.0, 1.0),
    "soil": (1.0, 0.8, 0.6),
    "terrain": (1.0, 0.6, 0.4),
    "envelope": (1.0, 0.9, 0.8),
    "wetness": (0.6, 0.8, 0.8),
}
# Seed and germinants are more exposed than a planted seedling with a year of roots: what harms seedlings harms them
# more by this share; what is harmless to seedlings is harmless to them.
SEED_EXCESS = {
    "drought": 0.25,
    "frost": 0.3,
    "competition": 0.5,
    "soil": 0.25,
    "terrain": 3.0,
    "envelope": 0.2,
    "wetness": 0.2,
}
ENVELOPE_CAP = 1.0
# The benefit of a moist site is much the same for all species; the cost of a dry one is not.
SHARED_WATER_SENSITIVITY = 0.85
# Seedlings come from local seed: a dry-site species meets drought as measured from this far towards its own median.
LOCAL_ADAPTATION = 0.6


@dataclass(frozen=True)
class Term:
    """One effect: the grid variable it belongs to (`interaction` if several) and its logit [points]."""

    variable: str
    process: str
    logit: np.ndarray


def standard_score(grid: Grid, name: str) -> np.ndarray:
    """Return a column on the envelopes' scale, less its median, in normal standard deviations of its quartiles."""
    values = axis_values(grid, name)
    q25, q50, q75 = np.quantile(values, (0.25, 0.5, 0.75))
    return (values - q50) / ((q75 - q25) / 1.349)


def beyond(distance: np.ndarray) -> np.ndarray:
    """Return the logit cost of lying `distance` spreads outside an envelope: quadratic, then linear, then capped."""
    outside = np.maximum(distance, 0.0)
    return ENVELOPE_CAP * np.tanh(4.0 * outside**2 / (1.0 + outside) / ENVELOPE_CAP)


def bounded(score: np.ndarray, limit: float) -> np.ndarray:
    """Return a score that levels off at +-limit: effects on trees saturate."""
    return limit * np.tanh(score / limit)


def species_terms(grid: Grid, species: Species, envelope: Envelope) -> list[Term]:
    """Return every term of a species planted by hand."""
    water_sensitivity = 1.45 - 0.2 * species.drought_tolerance
    frost = 1.2 - 0.2 * species.frost_tolerance
    cold_edge = 1.6 - 0.25 * species.frost_tolerance
    light = (4.4 - species.shade_tolerance) / 2.0

    def stress(name: str, adverse: int, adaptation: float = 0.0) -> np.ndarray:
        score = adverse * standard_score(grid, name)
        native = np.median(score[envelope.inside])
        score = score - adaptation * max(native, 0.0)
        return np.where(
            score > 0, water_sensitivity * bounded(score, 2.0), SHARED_WATER_SENSITIVITY * bounded(score, 1.0)
        )

    def low(axis: str) -> np.ndarray:
        return beyond((envelope.low[axis] - axis_values(grid, axis)) / envelope.spread[axis])

    def high(axis: str) -> np.ndarray:
        return beyond((axis_values(grid, axis) - envelope.high[axis]) / envelope.spread[axis])

    dryness = stress("vpd_max", +1, LOCAL_ADAPTATION)
    thinness = -SHARED_WATER_SENSITIVITY * bounded(standard_score(grid, "soil_water_capacity"), 1.5)
    openness = bounded(standard_score(grid, "crown_ratio"), 2.0)
    wet_site_sensitivity = 0.6 * max(species.drought_tolerance - 3, 0)
    return [
        Term("vpd_max", "drought", 1.25 * dryness),
        Term("vpd_max", "envelope", high("vpd_max")),
        Term("precipitation_annual", "drought", 1.1 * stress("precipitation_annual", -1, LOCAL_ADAPTATION)),
        Term("precipitation_annual", "envelope", low("precipitation_annual")),
        Term("precipitation_annual", "wetness", wet_site_sensitivity * high("precipitation_annual")),
        Term("heat_load", "drought", 0.15 * stress("heat_load", +1)),
        Term("dew_point", "drought", 0.7 * stress("dew_point", -1, adaptation=1.0)),
        Term("dew_point", "frost", 0.5 * low("dew_point")),
        Term("soil_water_capacity", "soil", 0.75 * thinness),
        Term("soil_clay", "soil", 0.15 * bounded(standard_score(grid, "soil_clay"), 2.0)),
        Term("temperature_min_january", "frost", (0.8 + frost) * low("temperature_min_january")),
        Term("temperature_min_january", "envelope", 1.8 * high("temperature_min_january")),
        Term("elevation", "envelope", 1.6 * cold_edge * high("elevation") + 1.8 * low("elevation")),
        Term("elevation", "frost", 0.5 * frost * bounded(standard_score(grid, "elevation"), 2.0)),
        Term("crown_ratio", "competition", -0.7 * light * openness),
        Term("terrain_ruggedness", "terrain", 0.10 * bounded(standard_score(grid, "terrain_ruggedness"), 2.0)),
        Term("interaction", "drought", 0.20 * np.maximum(dryness, 0.0) * np.maximum(thinness, 0.0)),
        Term("interaction", "drought", 0.06 * dryness * openness),
    ]


def method_logit(term: Term, method: str) -> np.ndarray:
    """Return the logit [points] of a term for a method; for seed, a smooth share of its harmful side is added."""
    if method == "manual":
        return term.logit
    return term.logit + SEED_EXCESS[term.process] * np.logaddexp(0.0, 4.0 * term.logit) / 4.0


def predictor(grid: Grid, species: Species, envelope: Envelope, method: str) -> np.ndarray:
    """Return logits, float64 [points, periods], without the intercepts and the site effect."""
    total = np.zeros((len(grid.latitude), 3))
    for term in species_terms(grid, species, envelope):
        total += method_logit(term, method)[:, None] * np.array(PROCESS_WEIGHTS[term.process])
    vigor = species.planting_vigor if method == "manual" else species.seeding_vigor
    return total - vigor
