"""The types of requests and answers. Answers are the JSON objects of the service, with fields that are unknown here.

Fields of the classes named `…Additions` are present only if `include` asked for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

PlantingMethod = Literal["manual", "drone_seeded"]
Include = Literal["intervals", "explanation", "site"]


class Scenario(TypedDict, total=False):
    """A changed climate: degrees Celsius from -5 to 10, and percent of precipitation from -80 to 200."""

    warming_c: float
    precipitation_change_percent: float


class SiteOptions(TypedDict, total=False):
    """Optional fields of a site of `predict_many`, with the meaning of the arguments of `predict`."""

    horizons: Sequence[int]
    elevation_m: float
    conditions: Mapping[str, float]
    scenario: Scenario
    include: Sequence[Include]


class SiteRequest(SiteOptions):
    """A site of `predict_many`. Other fields are allowed and ignored by the service."""

    latitude: float
    longitude: float
    species_code: str
    planting_method: PlantingMethod


class SiteAdditions(TypedDict, total=False):
    """What `include=["site"]` adds."""

    matched_elevation_m: float
    in_native_range: bool
    outside_training: list[str]


class Site(SiteAdditions):
    """The site as requested, and the data point that it was matched to."""

    latitude: float
    longitude: float
    matched_latitude: float
    matched_longitude: float
    match_distance_km: float
    region: str


class RiskFactor(TypedDict):
    """One of the three factors that matter most. `magnitude` is in probability."""

    factor: str
    impact: Literal["positive", "negative"]
    magnitude: float


class Interval(TypedDict):
    """Contains the value of a planting there with the probability `level`."""

    level: float
    low: float
    high: float


class Contribution(TypedDict):
    """The signed contribution of a feature, in probability, with its value and that of the average site."""

    feature: str
    factor: str
    contribution: float
    value: float
    unit: str
    average: float


class PredictionAdditions(TypedDict, total=False):
    """What `include=["intervals", "explanation"]` adds."""

    interval: Interval
    baseline: float
    contributions: list[Contribution]


class Prediction(PredictionAdditions):
    """Survival to one horizon."""

    horizon_years: int
    survival_probability: float
    risk_factors: list[RiskFactor]


class Model(TypedDict):
    """The model that answered."""

    version: str
    codename: str
    series: str


class PredictionResult(TypedDict):
    """Answer of `predict`, and of `predict_many` for one site."""

    site: Site
    species_code: str
    species_common_name: str
    planting_method: PlantingMethod
    predictions: list[Prediction]
    model: Model
    generated_at: str


class MethodPredictions(TypedDict):
    """The predictions of one planting method."""

    predictions: list[Prediction]


class MethodComparison(TypedDict):
    """The predictions by planting method."""

    manual: MethodPredictions
    drone_seeded: MethodPredictions


class MethodDifferenceAdditions(TypedDict, total=False):
    """What `include=["intervals"]` adds."""

    interval: Interval


class MethodDifference(MethodDifferenceAdditions):
    """Manual minus drone-seeded survival to one horizon."""

    horizon_years: int
    manual_advantage: float


class ComparisonResult(TypedDict):
    """Answer of `compare`."""

    site: Site
    species_code: str
    species_common_name: str
    comparison: MethodComparison
    method_differential: list[MethodDifference]
    model: Model
    generated_at: str


class RankedSiteAdditions(TypedDict, total=False):
    """What `include=["site"]` adds."""

    matched_elevation_m: float
    outside_training: list[str]


class RankedSite(RankedSiteAdditions):
    """The site of a ranking as requested, and the data point that it was matched to."""

    latitude: float
    longitude: float
    matched_latitude: float
    matched_longitude: float
    match_distance_km: float
    region: str


class RankedOption(TypedDict):
    """A species and planting method, with its place in the ranking, from 1."""

    rank: int
    species_code: str
    species_common_name: str
    planting_method: PlantingMethod
    in_native_range: bool
    predictions: list[Prediction]


class RankingResult(TypedDict):
    """Answer of `rank`, best first by the survival at `horizon_years`."""

    site: RankedSite
    horizon_years: int
    ranking: list[RankedOption]
    model: Model
    generated_at: str


class SurfaceSurvival(TypedDict):
    """Survival at the points of a surface by planting method and horizon: "1", "3" and "5"."""

    manual: dict[str, list[float]]
    drone_seeded: dict[str, list[float]]


class Surface(TypedDict):
    """Answer of `surface`: columns with a value for each point."""

    species_code: str
    species_common_name: str
    horizons: list[int]
    points: int
    spacing_km: float
    longitude: list[float]
    latitude: list[float]
    elevation_m: list[float]
    region: list[str]
    in_native_range: list[bool]
    survival: SurfaceSurvival
    model: Model


class Species(TypedDict):
    """A species that can be predicted."""

    species_code: str
    common_name: str
    scientific_name: str
    group: Literal["conifer", "hardwood"]


class SpeciesList(TypedDict):
    """Answer of `species`."""

    species: list[Species]
    count: int


class Bounds(TypedDict):
    """A box in degrees."""

    south: float
    west: float
    north: float
    east: float


class Region(TypedDict):
    """A region with data. Its bounds contain places without data, too."""

    region: str
    name: str
    bounds: Bounds
    data_points: int


class Coverage(TypedDict):
    """Answer of `coverage`."""

    regions: list[Region]
    data_points: int
    search_radius_km: float
    horizons: list[int]
    planting_methods: list[PlantingMethod]


class Alive(TypedDict):
    """What "alive" means, by planting method."""

    manual: str
    drone_seeded: str


class Grid(TypedDict):
    """The data points that serve."""

    points: int
    digest: str


class Feature(TypedDict):
    """A feature of the models: a key of `conditions`, with the smallest and largest value that may be measured."""

    feature: str
    factor: str
    unit: str
    minimum: float
    maximum: float


class Score(TypedDict):
    """Scores on held-out blocks; None where one is not defined."""

    planting_method: PlantingMethod
    horizon_years: int
    auc: float | None
    brier: float
    calibration_slope: float | None
    expected_calibration_error: float


class ServedModel(Model):
    """Answer of `model`."""

    digest: str
    outcomes: Literal["simulated", "observed"]
    caution: str
    alive: Alive
    grid: Grid
    interval_level: float | None
    features: list[Feature]
    scores: list[Score]


class SurvivalMeans(TypedDict):
    """Means over the data points of a unit: of the survival, and of the ends of its interval."""

    mean: float
    low: float
    high: float


class PlanOptionAdditions(TypedDict, total=False):
    """What `costs` add; None where no tree survives."""

    cost_per_survivor: float | None


class PlanOption(PlanOptionAdditions):
    """A species and a planting method for a unit."""

    rank: int
    species_code: str
    species_common_name: str
    planting_method: PlantingMethod
    in_native_range: bool
    survival: SurvivalMeans


class PlannedUnit(TypedDict):
    """A unit with its options, best first."""

    id: str | int | float
    area_ha: float
    data_points: int
    nearest_km: float
    options: list[PlanOption]


class FailedUnit(TypedDict):
    """A unit that could not be answered: `error` has `code`, `message` and mostly `details`."""

    id: str | int | float
    error: Mapping[str, Any]


class PlanResult(TypedDict):
    """Answer of `plan`."""

    units: list[PlannedUnit | FailedUnit]
    horizon_years: int
    model: Model
    generated_at: str


class Usage(TypedDict):
    """Answer of `usage`. `limit` and `remaining` are None where requests are unlimited."""

    tier: str
    requests_today: int
    limit: int | None
    remaining: int | None
    resets_at: str


class Workers(TypedDict):
    """The worker threads of the service."""

    ready: int
    total: int


class Health(TypedDict):
    """Answer of `health`."""

    status: Literal["ok", "starting", "degraded", "draining"]
    version: str
    model: Mapping[str, Any]
    data_points: int
    species: int
    workers: Workers
    uptime_seconds: float
