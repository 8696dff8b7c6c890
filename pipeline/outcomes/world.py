"""The free sizes of the simulation, each with its central value, its prior and the reason for both.

A world is one choice of all sizes. `World()` is the central one, from which the shipped models are trained;
`World.draw` gives others that are as defensible, for the uncertainty of the models. docs/simulation.md describes the
terms that the sizes belong to.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np

from pipeline.outcomes.species import species_codes

_SPECIES = len(species_codes())
Size = float | tuple[float, ...] | Mapping[str, "Size"]


@dataclass(frozen=True)
class Prior:
    """How a size is redrawn: normal with this standard deviation, on its logarithm or added to it."""

    logarithmic: bool
    sd: float
    reason: str

    def draw(self, central: Size, generator: np.random.Generator) -> Size:
        """Return a draw; the numbers of a tuple or dictionary are independent of each other."""
        if isinstance(central, Mapping):
            return {name: self.draw(size, generator) for name, size in central.items()}
        if isinstance(central, tuple):
            return tuple(self.draw(size, generator) for size in central)
        step = self.sd * generator.standard_normal()
        return float(central * np.exp(step) if self.logarithmic else central + step)


def _factor(central: Size, sd: float, reason: str):
    return _free(central, Prior(True, sd, reason))


def _shift(central: Size, sd: float, reason: str):
    return _free(central, Prior(False, sd, reason))


def _free(central: Size, prior: Prior):
    return field(default_factory=lambda: central, metadata={"prior": prior})


@dataclass(frozen=True)
class World:
    """All free sizes, in logits where nothing else is said. An effect is for one standard score of its grid column."""

    # Drought
    vpd_drought: float = _factor(1.45, 0.3, "sources give the direction and the shape, not the size")
    precipitation_drought: float = _factor(1.4, 0.3, "as VPD")
    dew_point_drought: float = _factor(1.3, 0.4, "fog and night-time recovery are rarely measured on seedlings")
    heat_load_drought: float = _factor(0.14, 0.4, "south slopes are the classical failure; sizes differ by study")
    drought_sensitivity: float = _factor(0.85, 0.2, "response of a species of middling drought tolerance to dry sites")
    drought_rank_effect: float = _factor(0.2, 0.3, "change of that response with a rank of drought tolerance")
    drought_saturation: float = _factor(
        1.3, 0.2, "score at which stress levels off: planting with care meets the worst"
    )
    moist_site_benefit: float = _factor(0.85, 0.2, "response to moist sites, the same for all species")
    local_adaptation: float = _shift(0.4, 0.15, "share of the home climate that local seed is used to: common gardens")
    # Soil
    soil_water: float = _factor(0.55, 0.4, "effect of soil water that is known well")
    soil_water_reliability: float = _factor(0.45, 0.3, "0.66 squared: the correlation of the source with basins' soils")
    soil_clay: float = _factor(0.15, 0.5, "frost heaving and drainage are local")
    thin_soil_by_vpd: float = _factor(0.12, 0.5, "an interaction of unknown size")
    openness_by_vpd: float = _factor(0.06, 0.5, "an interaction of unknown size")
    # Frost, competition, terrain
    dew_point_frost: float = _factor(0.5, 0.4, "radiation frost depends on the spot")
    january_frost: float = _factor(0.8, 0.4, "beside the species' sensitivity to frost")
    elevation_frost: float = _factor(0.5, 0.4, "growing-season frost depends on the spot")
    frost_sensitivity: float = _factor(0.6, 0.2, "of a species of middling frost tolerance")
    frost_rank_effect: float = _factor(0.2, 0.3, "change of that with a rank of frost tolerance")
    crown_ratio: float = _factor(0.6, 0.4, "effect of the planting site's own openness")
    crown_ratio_reliability: float = _factor(0.3, 0.4, "today's forest is a weak sign of a clearcut or burn; no data")
    planting_openness: float = _shift(0.5, 0.3, "sites are opened before planting: score above that of the forest")
    light_demand: float = _factor(0.7, 0.2, "of a species of middling shade tolerance")
    light_rank_effect: float = _factor(0.5, 0.3, "change of that with a rank of shade tolerance")
    brush: float = _factor(1.3, 0.4, "for a score of dew point; by year 10 30 to 42 % had died in the Coast Range")
    brush_start: float = _shift(0.6, 0.15, "score of dew point above which brush and browse grow")
    slope: float = _factor(0.06, 0.5, "creep and ravel depend on the spot")
    terrain_ruggedness: float = _factor(0.04, 0.5, "beside the slope, which it mostly follows")
    # Outside the native range
    envelope_cap: float = _factor(2.0, 0.3, "most that one side of an envelope costs, before its weight")
    envelope_steepness: float = _factor(2.3, 0.4, "cost of the first spread outside")
    envelope_margin: float = _shift(0.0, 0.15, "spreads by which seedlings' limits are wider than those of the range")
    vpd_envelope: float = _factor(0.2, 0.4, "weight; most of the cost of dry air is in the drought")
    precipitation_envelope: float = _factor(1.0, 0.3, "weight")
    january_mild: float = _factor(1.8, 0.4, "unmet chilling; known for Douglas-fir, assumed for others")
    elevation_high: float = _factor(1.6, 0.3, "weight")
    elevation_low: float = _factor(1.6, 0.3, "weight")
    cold_edge: float = _factor(0.85, 0.2, "response above its range of a species of middling frost tolerance")
    cold_edge_rank_effect: float = _factor(0.25, 0.3, "change of that with a rank of frost tolerance")
    wet_site_disease: float = _factor(0.6, 0.4, "for each rank of drought tolerance above 3")
    # Ages, methods and sites
    process_weights: Mapping[str, tuple[float, ...]] = _factor(
        {
            "drought": (1.0, 0.8, 0.6),
            "frost": (1.0, 0.7, 0.5),
            "competition": (0.8, 1.0, 1.0),
            "soil": (1.0, 0.8, 0.6),
            "terrain": (1.0, 0.6, 0.4),
            "envelope": (1.0, 0.9, 0.8),
            "wetness": (0.6, 0.8, 0.8),
        },
        0.15,
        "in year 1, years 2-3 and years 4-5: drought and frost act on small roots and shoots",
    )
    seed_excess: Mapping[str, float] = _factor(
        {
            "drought": 0.4,
            "frost": 0.5,
            "competition": 0.5,
            "soil": 0.6,
            "terrain": 0.5,
            "envelope": 0.2,
            "wetness": 0.2,
        },
        0.6,
        "share by which a harmful term harms germinants more; never measured for drone seeding",
    )
    level: float = _shift(0.0, 0.35, "hazards of both methods at the published site: one sample of one service")
    seeding_gap: float = _factor(1.0, 0.5, "factor on the published difference between the methods; never measured")
    site_sd: float = _factor(1.0, 0.2, "between planted sites alike on the grid: British Columbia, less its climate")
    seeding_site_sd: float = _factor(1.3, 0.25, "between seeded sites alike on the grid; never measured")
    # Species
    drought_rank_shift: tuple[float, ...] = _shift((0.0,) * _SPECIES, 0.5, "a reading of two rankings; of each species")
    frost_rank_shift: tuple[float, ...] = _shift((0.0,) * _SPECIES, 0.5, "as the drought ranks")
    shade_rank_shift: tuple[float, ...] = _shift((0.0,) * _SPECIES, 0.5, "as the drought ranks")
    vigor_shift: tuple[float, ...] = _shift((0.0,) * _SPECIES, 0.3, "stock of species is rarely compared on one site")
    seeding_vigor_shift: tuple[float, ...] = _shift((0.0,) * _SPECIES, 0.4, "added to the above for seed")

    @classmethod
    def central(cls) -> "World":
        """Return the world of the central values."""
        return cls()

    @classmethod
    def draw(cls, generator: np.random.Generator) -> "World":
        """Return a world with every size drawn from its prior."""
        central = cls()
        return cls(
            **{size.name: size.metadata["prior"].draw(getattr(central, size.name), generator) for size in fields(cls)}
        )
