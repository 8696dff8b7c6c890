"""The free sizes of the simulation, each with its central value, its prior and the reason for both.

A world is one choice of all sizes. `World()` is the central one, from which the shipped models are trained;
`World.draw` gives others that are as defensible, for the uncertainty of the models. docs/simulation.md describes the
terms that the sizes belong to.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields

import numpy as np

from pipeline.outcomes.periods import METHODS
from pipeline.outcomes.species import species_codes

_SPECIES = len(species_codes())
Size = float | tuple[float, ...] | Mapping[str, "Size"]


@dataclass(frozen=True)
class Prior:
    """How a size is redrawn: normal with this standard deviation, on its logarithm or added to it."""

    logarithmic: bool
    sd: float
    reason: str

    def moved(self, central: Size, deviates: Iterator[float]) -> Size:
        """Return the size at standard normal deviates; each number of a tuple or dictionary takes the next deviate."""
        if isinstance(central, Mapping):
            return {name: self.moved(size, deviates) for name, size in central.items()}
        if isinstance(central, tuple):
            return tuple(self.moved(size, deviates) for size in central)
        step = self.sd * next(deviates)
        return float(central * np.exp(step) if self.logarithmic else central + step)


def _factor(central: Size, sd: float, reason: str):
    return _free(central, Prior(True, sd, reason))


def _shift(central: Size, sd: float, reason: str):
    return _free(central, Prior(False, sd, reason))


def _free(central: Size, prior: Prior):
    return field(default_factory=lambda: central, metadata={"prior": prior})


@dataclass(frozen=True)
class World:
    """All free sizes, in logits unless stated otherwise. An effect is per standard score of its grid column."""

    # Drought
    vpd_drought: float = _factor(1.3, 0.3, "sources give the direction and the shape, not the size")
    precipitation_drought: float = _factor(1.4, 0.3, "as VPD")
    dew_point_drought: float = _factor(0.8, 0.4, "fog and night-time recovery are rarely measured on seedlings")
    heat_load_drought: float = _factor(0.14, 0.4, "south slopes are the classical failure; sizes differ by study")
    drought_sensitivity: float = _factor(0.85, 0.2, "response of a species of middling drought tolerance to dry sites")
    drought_rank_effect: float = _factor(0.16, 0.3, "change of that with a rank of drought tolerance: zones of valleys")
    drought_saturation: float = _factor(1.3, 0.2, "score at which low rainfall levels off; dry air does not")
    moist_site_benefit: float = _factor(0.75, 0.2, "response to moist sites of a species of middling drought tolerance")
    moist_rank_effect: float = _factor(0.1, 0.3, "change of that with a rank: trees of dry sites gain less from rain")
    local_adaptation: float = _shift(0.25, 0.1, "share of the home climate that local seed is used to: common gardens")
    drought_year: float = _shift(0.0, 0.5, "VPD of the first summers, in scores: standard deviation of single years")
    # Soil
    soil_water: float = _factor(0.55, 0.4, "effect of soil water that is known well")
    soil_water_reliability: float = _factor(0.45, 0.3, "0.66 squared: the correlation of the source with basins' soils")
    soil_clay: float = _factor(0.15, 0.5, "frost heaving and drainage are local")
    thin_soil_by_vpd: float = _factor(0.12, 0.5, "an interaction of unknown size")
    openness_by_vpd: float = _factor(0.06, 0.5, "an interaction of unknown size")
    # Frost, competition, terrain
    dew_point_frost: float = _factor(0.5, 0.4, "radiation frost depends on the spot")
    january_frost: float = _factor(0.8, 0.4, "beside the species' sensitivity to frost")
    january_cold: float = _factor(0.06, 0.4, "a colder winter within the range; coastal seed is less hardy")
    frost_sensitivity: float = _factor(0.6, 0.2, "of a species of middling frost tolerance")
    frost_rank_effect: float = _factor(0.2, 0.3, "change of that with a rank of frost tolerance")
    crown_ratio: float = _factor(0.6, 0.4, "effect of the planting site's own openness")
    crown_ratio_reliability: float = _factor(0.3, 0.4, "today's forest is a weak sign of a clearcut or burn; no data")
    planting_openness: float = _shift(0.5, 0.3, "sites are opened before planting: score above that of the forest")
    light_demand: float = _factor(0.7, 0.2, "of a species of middling shade tolerance")
    light_rank_effect: float = _factor(0.5, 0.3, "change of that with a rank of shade tolerance")
    brush: float = _factor(1.0, 0.4, "for a score of dew point; by year 10 30 to 42 % had died in the Coast Range")
    brush_start: float = _shift(0.6, 0.15, "score of dew point above which brush and browse grow")
    slope: float = _factor(0.1, 0.5, "creep and ravel depend on the spot")
    terrain_ruggedness: float = _factor(0.08, 0.5, "beside the slope, which it mostly follows")
    elevation_frost: float = _factor(0.3, 0.4, "growing-season frost depends on the spot")
    night_frost: float = _factor(0.7, 0.4, "radiation frost of clear nights, beside that of level ground")
    frost_flat: float = _factor(1.5, 0.4, "cold air on level ground where nights are clear; sizes differ by basin")
    bottomland: float = _factor(1.0, 0.3, "for a score of slope, and a kilometre above the valley; silvics, no size")
    frost_basin: float = _factor(
        2.2, 0.3, "gain on cold flats that frost keeps free of others: lodgepole pine; no size"
    )
    # Outside the native range
    envelope_cap: float = _factor(2.0, 0.3, "most that one side of an envelope costs, before its weight")
    envelope_steepness: float = _factor(2.3, 0.4, "cost of the first spread outside")
    envelope_margin: float = _shift(0.0, 0.15, "spreads by which seedlings' limits are wider than those of the range")
    precipitation_envelope: float = _factor(0.8, 0.3, "weight")
    january_mild: float = _factor(0.02, 0.4, "unmet chilling delays budburst by weeks and kills few seedlings")
    humid_envelope: float = _factor(1.0, 0.3, "weight of air more humid than in the range: brush, rot, foliage disease")
    zone_low: float = _factor(2.5, 0.3, "cost of the first kilometre below the zone of the species")
    zone_high: float = _factor(3.0, 0.3, "cost of the first kilometre above it")
    wet_envelope: float = _factor(1.1, 0.4, "weight of more rain than in the range: needle cast, snow press")
    wet_site_disease: float = _factor(0.8, 0.4, "for each rank of drought tolerance above 3")
    moist_competition: float = _factor(0.4, 0.4, "as that, for a score of precipitation: others overtop them")
    # Practice, docs/simulation.md
    vegetation: float = _factor(1.6, 0.4, "from complete to no control of vegetation: Rainier 0.6, Idaho 2.7 and 7.5")
    vegetation_rank_effect: float = _factor(0.4, 0.4, "change of that with a rank of shade tolerance: the same sources")
    overstory: float = _factor(1.3, 0.4, "from no to full cover: Rainier 0.46 from small gaps to closed forest")
    overstory_rank_effect: float = _factor(0.4, 0.4, "change of that with a rank of shade tolerance: as vegetation")
    # Ages and methods
    process_weights: Mapping[str, tuple[float, ...]] = _factor(
        {
            "drought": (1.0, 0.8, 0.6),
            "frost": (1.0, 0.7, 0.5),
            "competition": (0.8, 1.0, 1.0),
            "soil": (1.0, 0.8, 0.6),
            "terrain": (1.0, 0.6, 0.4),
            "envelope": (1.0, 0.9, 0.8),
            "wetness": (0.6, 0.8, 0.8),
            "practice": (1.0, 1.0, 0.8),
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
            "practice": 0.3,
        },
        0.6,
        "share by which a harmful term harms germinants more; never measured for drone seeding",
    )
    level: float = _shift(0.0, 0.35, "hazards of both methods at the published site: one sample of one service")
    emergence: float = _factor(0.0175, 0.45, "germinants a viable seed: 0.006 to 0.038 of seed rain at Mount Rainier")
    germinant_survival: float = _factor(0.17, 0.35, "of the first year: PSME at H.J. Andrews; TSHE 0.03, THPL 0.05")
    # Differences between plantings that are alike on the grid
    programme_sd: float = _factor(0.85, 0.35, "year, crew, stock lot, browse: with places, 0.99 (0.13 to 0.99) in BC")
    place_sd: float = _factor(0.5, 0.4, "places alike on the grid: the rest of those 0.99, which place and year share")
    stand_sd: float = _factor(0.42, 0.25, "between stands of a location in British Columbia (REML)")
    plot_sd: float = _factor(0.83, 0.2, "between plots of a stand in British Columbia (REML)")
    seeding_site_factor: float = _factor(1.15, 0.2, "all of these for seed, over those of planting; never measured")
    # Species
    drought_rank_shift: tuple[float, ...] = _shift((0.0,) * _SPECIES, 0.5, "a reading of two rankings; of each species")
    frost_rank_shift: tuple[float, ...] = _shift((0.0,) * _SPECIES, 0.5, "as the drought ranks")
    shade_rank_shift: tuple[float, ...] = _shift((0.0,) * _SPECIES, 0.5, "as the drought ranks")
    vigor_shift: tuple[float, ...] = _shift((0.0,) * _SPECIES, 0.3, "species are rarely compared on one site")
    stock_shift: tuple[float, ...] = _shift(
        (0.0,) * _SPECIES, 0.45, "stock types of one species on Vancouver Island: 0.37 and 0.56 (logits of year 5)"
    )
    seeding_vigor_shift: tuple[float, ...] = _shift((0.0,) * _SPECIES, 0.4, "added to the vigor for seed")

    @classmethod
    def central(cls) -> "World":
        """Return the world of the central values."""
        return cls()

    @classmethod
    def from_deviates(cls, deviates: np.ndarray) -> "World":
        """Return the world at standard normal deviates [deviate_count()]; zeros give the central world."""
        if np.shape(deviates) != (deviate_count(),):
            raise ValueError(f"deviates must be [{deviate_count()}], not {list(np.shape(deviates))}")
        following, central = iter(deviates.tolist()), cls()
        return cls(
            **{size.name: size.metadata["prior"].moved(getattr(central, size.name), following) for size in fields(cls)}
        )

    @classmethod
    def draw(cls, generator: np.random.Generator) -> "World":
        """Return a world with every size drawn from its prior."""
        return cls.from_deviates(generator.standard_normal(deviate_count()))

    def site_sd(self, method: str) -> float:
        """Return the standard deviation, in logits, of plots of new plantings that are alike on the grid."""
        planted = float(np.sqrt(sum(sd**2 for sd in (self.programme_sd, self.place_sd, self.stand_sd, self.plot_sd))))
        return planted if method == METHODS[0] else planted * self.seeding_site_factor

    @property
    def site_correlation(self) -> float:
        """The correlation of the methods' effects at a site: programme and place are shared, stand and plot are not."""
        return (self.programme_sd**2 + self.place_sd**2) / self.site_sd(METHODS[0]) ** 2


def deviate_names() -> list[str]:
    """Return the size that each deviate of a world moves, in order, such as ``brush`` or ``vigor_shift.PSME``."""
    names = []
    for size in fields(World):
        names += _names(size.name, size.default_factory())
    return names


def deviate_count() -> int:
    """Return the number of deviates of a world."""
    return len(deviate_names())


def _names(name: str, central: Size) -> list[str]:
    if isinstance(central, Mapping):
        return [entry for key, size in central.items() for entry in _names(f"{name}.{key}", size)]
    if isinstance(central, tuple):
        keys = species_codes() if len(central) == _SPECIES else range(len(central))
        return [f"{name}.{key}" for key in keys]
    return [name]
