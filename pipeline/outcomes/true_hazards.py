"""The true mortality hazards of each period, from which outcomes are drawn; docs/simulation.md cites each term.

Every term is a logit [points] of a species, added to the hazard of a period. A term is named after the grid variable
that it depends on, so that its recovery can be measured; `interaction` terms depend on several.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from pipeline.outcomes.envelopes import Envelope, Environment
from pipeline.outcomes.species import all_species
from pipeline.outcomes.world import World

LOW_LIMIT_RISE = 0.5
"""Share of the rise of zones to the south and east that their lower limits follow: there, drought sets these."""
ZONE_EDGE_KM = 0.15
"""Width of the edge of a forest zone."""
LEVEL_SLOPE = -1.0
"""Score of the slope of level ground."""
FLAT_SLOPE, FLAT_WIDTH = -0.7, 0.1
"""Score of the slope, some 2 degrees, below which cold air stays, and the width of the step."""
GENTLE_SLOPE, GENTLE_WIDTH = -0.3, 0.2
"""The same of basins and gentle slopes, some 5 degrees."""
CLEAR_NIGHTS, CLEAR_WIDTH = -0.1, 0.08
"""Score of the dew point, some 0.7 C, below which nights are clear enough for frost in basins, and its width."""
WOODLAND_RAIN, WOODLAND_WIDTH = -1.2, 0.1
"""Score of precipitation, some 375 mm, below which basins carry juniper and not lodgepole pine, and its width."""


@dataclass(frozen=True)
class Term:
    """One effect: the grid variable it belongs to (`interaction` if several) and its logit [points]."""

    variable: str
    process: str
    logit: np.ndarray


def bounded(score: np.ndarray, limit: float) -> np.ndarray:
    """Return a score that levels off at +-limit: effects on trees saturate."""
    return limit * np.tanh(score / limit)


def species_terms(environment: Environment, index: int, envelope: Envelope, world: World) -> list[Term]:
    """Return every term of a species, by its index, planted by hand."""
    species = all_species()[index]
    # Ranks below and above the middle one.
    drought_rank = species.drought_tolerance + world.drought_rank_shift[index] - 3
    frost_rank = species.frost_tolerance + world.frost_rank_shift[index] - 3
    shade_rank = species.shade_tolerance + world.shade_rank_shift[index] - 3
    sensitivity = max(world.drought_sensitivity - world.drought_rank_effect * drought_rank, 0.1)
    moist_benefit = max(world.moist_site_benefit - world.moist_rank_effect * drought_rank, 0.1)
    frost = max(world.frost_sensitivity - world.frost_rank_effect * frost_rank, 0.0)
    light = world.light_demand - world.light_rank_effect * shade_rank
    axes, scores = environment.axes, environment.scores

    def adapted(name: str) -> np.ndarray:
        """Return a score for seedlings from local seed: less by the part that their parents are adapted to."""
        return scores[name] - world.local_adaptation * np.clip(scores[name], *envelope.local_seed[name])

    def levelling(score: np.ndarray) -> np.ndarray:
        dry = sensitivity * bounded(score, world.drought_saturation)
        return np.where(score > 0, dry, moist_benefit * bounded(score, 1.0))

    def beyond(distance: np.ndarray) -> np.ndarray:
        """Return the cost of lying this many spreads outside: quadratic, then linear, then capped."""
        outside = np.maximum(distance - world.envelope_margin, 0.0)
        return world.envelope_cap * np.tanh(world.envelope_steepness * outside**2 / (1 + outside) / world.envelope_cap)

    def low(axis: str) -> np.ndarray:
        return beyond((envelope.low[axis] - axes[axis]) / envelope.spread[axis])

    def high(axis: str) -> np.ndarray:
        return beyond((axes[axis] - envelope.high[axis]) / envelope.spread[axis])

    vpd = adapted("vpd_max") + world.drought_year
    dryness = np.where(vpd > 0, sensitivity, min(sensitivity, world.moist_site_benefit)) * vpd
    rainlessness = levelling(-adapted("precipitation_annual"))
    thinness = -world.soil_water_reliability * bounded(scores["soil_water_capacity"], 1.5)
    openness = world.planting_openness + world.crown_ratio_reliability * bounded(scores["crown_ratio"], 2.0)
    humidity = np.maximum(scores["dew_point"] - world.brush_start, 0.0)
    of_dry_sites = max(drought_rank, 0.0)
    wetness = np.maximum(scores["precipitation_annual"], 0.0)
    wet_site = world.wet_site_disease * high("precipitation_annual") + world.moist_competition * wetness
    flat = expit((FLAT_SLOPE - scores["slope"]) / FLAT_WIDTH)
    zone_km = (axes["elevation"] + environment.zone_shift) / 1000
    low_shift = np.maximum(environment.zone_shift, LOW_LIMIT_RISE * environment.zone_shift)
    above_low_km = (axes["elevation"] + low_shift - species.zone_low_m) / 1000
    zone = world.zone_low * outside_zone(-above_low_km)
    zone = zone + world.zone_high * outside_zone(zone_km - species.zone_high_m / 1000)
    bottomland = world.bottomland * species.level_ground
    frost_basin = (
        expit((GENTLE_SLOPE - scores["slope"]) / GENTLE_WIDTH)
        * expit((CLEAR_NIGHTS - scores["dew_point"]) / CLEAR_WIDTH)
        * expit((scores["precipitation_annual"] - WOODLAND_RAIN) / WOODLAND_WIDTH)
    )
    level = np.maximum(scores["slope"] - LEVEL_SLOPE, 0.0)
    coldness = np.maximum(-scores["temperature_min_january"], 0.0)
    clear_nights = np.maximum(-scores["dew_point"], 0.0)
    return [
        Term("vpd_max", "drought", world.vpd_drought * dryness),
        Term("precipitation_annual", "drought", world.precipitation_drought * rainlessness),
        Term("precipitation_annual", "envelope", world.precipitation_envelope * low("precipitation_annual")),
        Term("precipitation_annual", "envelope", world.wet_envelope * high("precipitation_annual")),
        Term("precipitation_annual", "wetness", of_dry_sites * wet_site),
        Term("heat_load", "drought", world.heat_load_drought * sensitivity * bounded(scores["heat_load"], 3.0)),
        Term("dew_point", "drought", world.dew_point_drought * levelling(-adapted("dew_point"))),
        Term("dew_point", "frost", world.dew_point_frost * low("dew_point")),
        Term("soil_water_capacity", "soil", (world.soil_water + bottomland) * thinness),
        Term("soil_clay", "soil", world.soil_clay * (1 - species.level_ground) * bounded(scores["soil_clay"], 2.0)),
        Term("temperature_min_january", "frost", (world.january_frost + frost) * low("temperature_min_january")),
        Term("temperature_min_january", "frost", world.january_cold * frost * coldness),
        Term("temperature_min_january", "envelope", world.january_mild * high("temperature_min_january")),
        Term("elevation", "frost", world.elevation_frost * frost * bounded(scores["elevation"], 2.0)),
        Term("dew_point", "frost", world.night_frost * frost * bounded(clear_nights, 1.0)),
        Term("interaction", "frost", world.frost_flat * frost * flat * bounded(clear_nights, 1.0)),
        Term("elevation", "envelope", zone),
        Term("dew_point", "competition", world.brush * humidity),
        Term("dew_point", "envelope", world.humid_envelope * high("dew_point")),
        Term("crown_ratio", "competition", -world.crown_ratio * light * openness),
        Term("terrain_ruggedness", "terrain", world.terrain_ruggedness * bounded(scores["terrain_ruggedness"], 2.0)),
        Term("slope", "terrain", world.slope * bounded(scores["slope"], 2.0) + bottomland * bounded(level, 2.0)),
        Term("interaction", "frost", -world.frost_basin * species.frost_basin * frost_basin),
        Term("interaction", "drought", world.thin_soil_by_vpd * np.maximum(dryness, 0.0) * np.maximum(thinness, 0.0)),
        Term("interaction", "drought", world.openness_by_vpd * dryness * openness),
    ]


def outside_zone(distance_km: np.ndarray) -> np.ndarray:
    """Return the cost of lying this many kilometres outside the zone: it rises smoothly from 0 and becomes linear."""
    return ZONE_EDGE_KM * np.logaddexp(0.0, distance_km / ZONE_EDGE_KM)


def method_logit(term: Term, method: str, world: World) -> np.ndarray:
    """Return the logit [points] of a term for a method; for seed, a smooth share of its harmful side is added."""
    if method == "manual":
        return term.logit
    return term.logit + world.seed_excess[term.process] * np.logaddexp(0.0, 4.0 * term.logit) / 4.0


def predictor(environment: Environment, index: int, envelope: Envelope, world: World, method: str) -> np.ndarray:
    """Return logits, float64 [points, periods], of a species without the intercepts and the site effect."""
    total = np.zeros((len(environment.axes["elevation"]), 3))
    for term in species_terms(environment, index, envelope, world):
        total += method_logit(term, method, world)[:, None] * np.array(world.process_weights[term.process])
    return total - vigor(index, world, method)


def vigor(index: int, world: World, method: str) -> float:
    """Return the vigor that is subtracted from the hazard logits of a species."""
    species = all_species()[index]
    if method == "manual":
        return species.planting_vigor + world.vigor_shift[index] + world.stock_shift[index]
    return species.seeding_vigor + world.vigor_shift[index] + world.seeding_vigor_shift[index]
