"""The types of requests and answers, written by generate_types.py from the service's /openapi.json."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Summary(TypedDict):
    total: int
    successful: int
    failed: int


class Conditions(TypedDict):
    """
    What you measured, in place of the values of the grid, and what you do: features of `GET /v1/model` with numbers in their units.
    """

    elevation: NotRequired[float]
    """
    In m.
    """
    terrain_ruggedness: NotRequired[float]
    """
    In m.
    """
    slope: NotRequired[float]
    """
    In degrees.
    """
    heat_load: NotRequired[float]
    """
    In MJ/cm2/a.
    """
    precipitation_annual: NotRequired[float]
    """
    In mm.
    """
    temperature_min_january: NotRequired[float]
    """
    In degC.
    """
    dew_point: NotRequired[float]
    """
    In degC.
    """
    vpd_max: NotRequired[float]
    """
    In hPa.
    """
    soil_water_capacity: NotRequired[float]
    """
    In mm.
    """
    soil_clay: NotRequired[float]
    """
    In percent.
    """
    crown_ratio: NotRequired[float]
    """
    In percent.
    """
    vegetation_control: NotRequired[float]
    """
    In 1.
    """
    overstory_cover: NotRequired[float]
    """
    In percent.
    """
    seeds_per_spot: NotRequired[float]
    """
    In seeds.
    """


class Scenario(TypedDict):
    """
    A changed climate: temperatures move by `warming_c`, precipitation by its percentage, relative humidity stays.
    """

    warming_c: NotRequired[float]
    """
    In degC.
    """
    precipitation_change_percent: NotRequired[float]
    """
    In percent.
    """


class DifferenceInterval(TypedDict):
    """
    Where the difference itself is expected to lie in 8 of 10 cases (`level`). With `intervals`.
    """

    level: float
    low: float
    high: float


class MethodDifference(TypedDict):
    horizon_years: Literal[1, 3, 5]
    manual_advantage: float
    """
    Manual minus drone-seeded survival.
    """
    interval: NotRequired[DifferenceInterval]
    """
    Where the difference itself is expected to lie in 8 of 10 cases (`level`). With `intervals`.
    """


class Contribution(TypedDict):
    feature: str
    """
    Key of GET /v1/model.
    """
    factor: str
    contribution: float
    """
    To the survival probability, relative to the average site.
    """
    value: float
    """
    As the model saw it.
    """
    unit: str
    average: float
    """
    Value at the average site of species and method.
    """


class ErrorObject(TypedDict):
    code: Literal['invalid_json', 'invalid_api_key', 'key_inactive', 'not_found', 'method_not_allowed', 'not_acceptable', 'payload_too_large', 'unsupported_media_type', 'outside_coverage', 'no_nearby_data', 'invalid_species', 'invalid_method', 'batch_too_large', 'elevation_mismatch', 'invalid_request', 'rate_limit_exceeded', 'internal_error', 'overloaded', 'unavailable']
    message: str
    """
    Which value was wrong, why, and what would be right.
    """
    details: NotRequired[dict[str, Any]]
    """
    More about it, by code.
    """


class ErrorBody(TypedDict):
    error: ErrorObject


class Evidence(TypedDict):
    source: str
    place: str
    treatment: str | None
    """
    Null where it is not known.
    """
    species_code: str
    planting_method: Literal['manual', 'drone_seeded']
    years: float
    """
    After which the trees were counted.
    """
    horizon_years: int
    """
    The year compared with; between two horizons the prediction is interpolated.
    """
    trees: int | None
    """
    Null where it is not known.
    """
    observed: float
    """
    Share of the trees that lived.
    """
    predicted: float
    low: float | None
    """
    Of the interval of the prediction; null without intervals.
    """
    high: float | None
    use: Literal['conditioning', 'held_out', 'shown']
    """
    Whether the models were conditioned on it, or only compared with it.
    """


class Error(TypedDict):
    code: Literal['invalid_json', 'invalid_api_key', 'key_inactive', 'not_found', 'method_not_allowed', 'not_acceptable', 'payload_too_large', 'unsupported_media_type', 'outside_coverage', 'no_nearby_data', 'invalid_species', 'invalid_method', 'batch_too_large', 'elevation_mismatch', 'invalid_request', 'rate_limit_exceeded', 'internal_error', 'overloaded', 'unavailable']
    message: str
    """
    Which value was wrong, why, and what would be right.
    """
    details: NotRequired[dict[str, Any]]
    """
    More about it, by code.
    """


class FailedResult(TypedDict):
    error: Error
    latitude: float | None
    """
    Null where it was not a number.
    """
    longitude: float | None
    """
    Null where it was not a number.
    """


class FailedUnit(TypedDict):
    id: str | float
    """
    As requested.
    """
    error: Error


class Feature(TypedDict):
    feature: str
    factor: str
    """
    Its name in risk factors.
    """
    unit: str
    minimum: float
    """
    Smallest value that may be measured.
    """
    maximum: float
    """
    Largest value that may be measured.
    """
    default: NotRequired[float]
    """
    Of practice, which is no column of the grid: average practice, at which it has no effect.
    """


class HealthModel(TypedDict):
    version: str
    codename: str
    series: str
    digest: str
    """
    Changes with any byte of the models: SHA-256 of their manifest.
    """


class Workers(TypedDict):
    ready: int
    total: int


class Health(TypedDict):
    status: Literal['ok', 'starting', 'degraded', 'draining']
    version: str
    """
    Of the service.
    """
    model: HealthModel
    data_points: int
    species: int
    workers: Workers
    uptime_seconds: float


class Model(TypedDict):
    version: str
    codename: str
    series: str


class UnitSurvival(TypedDict):
    mean: float
    """
    Mean of the survival at the data points.
    """
    low: float
    """
    Mean of the low ends of their intervals.
    """
    high: float
    """
    Mean of the high ends of their intervals.
    """
    p10: float
    """
    The 10th percentile of the survival at the data points.
    """
    p90: float
    """
    Their 90th percentile: how much survival differs within the unit.
    """


class Outline1(TypedDict):
    type: Literal['Polygon']
    coordinates: list[list[list[float]]]


class Outline2(TypedDict):
    type: Literal['MultiPolygon']
    coordinates: list[list[list[list[float]]]]


class Unit(TypedDict):
    type: Literal['Feature']
    id: str | float
    """
    Unique in the request, at most 4096 bytes as JSON.
    """
    geometry: Outline1 | Outline2


class Units(TypedDict):
    """
    Planting units: Polygons and MultiPolygons in WGS 84 degrees. Their properties are ignored.
    """

    type: Literal['FeatureCollection']
    features: list[Unit]


class Costs(TypedDict):
    """
    What a planted tree (`manual`) and a sown spot (`drone_seeded`) cost, in any currency: for every method asked for. Options are then ranked by cost per survivor.
    """

    manual: NotRequired[float]
    drone_seeded: NotRequired[float]


class PlantingOrder(TypedDict):
    per_ha: int
    """
    Trees to plant, or pods to sow, on a hectare.
    """
    total: int
    """
    The same in the unit.
    """
    cost: NotRequired[float]
    """
    Of the total. With `costs`.
    """


class Interval(TypedDict):
    """
    Where the survival of a planting there is expected to lie in 8 of 10 cases (`level`). With `intervals`.
    """

    level: float
    low: float
    high: float


class RankedSite(TypedDict):
    latitude: float
    """
    Requested latitude.
    """
    longitude: float
    """
    Requested longitude.
    """
    matched_latitude: float
    """
    Latitude of the nearest data point.
    """
    matched_longitude: float
    """
    Longitude of the nearest data point.
    """
    match_distance_km: float
    """
    Great-circle distance to it; lower is better.
    """
    region: str
    """
    ISO 3166-2 code of its region.
    """
    matched_elevation_m: NotRequired[float]
    """
    Elevation of the data point. With `site`.
    """
    outside_training: NotRequired[list[str]]
    """
    Features beyond the 1st to 99th percentile of the training sites. With `site`.
    """


class Bounds(TypedDict):
    south: float
    west: float
    north: float
    east: float


class Region(TypedDict):
    region: str
    """
    ISO 3166-2 code.
    """
    name: str
    bounds: Bounds
    data_points: int


class RiskFactor(TypedDict):
    factor: str
    impact: Literal['positive', 'negative']
    magnitude: float
    """
    Contribution to the survival probability, relative to the average site of species and method.
    """


class Score(TypedDict):
    planting_method: Literal['manual', 'drone_seeded']
    horizon_years: Literal[1, 3, 5]
    auc: float | None
    brier: float
    calibration_slope: float | None
    expected_calibration_error: float


class Alive(TypedDict):
    """
    What "alive" means, by planting method.
    """

    manual: str
    drone_seeded: str


class Grid(TypedDict):
    points: int
    digest: str
    """
    Changes with any byte of the grid: SHA-256 of data/SHA256SUMS.
    """


class ServedModel(TypedDict):
    version: str
    codename: str
    series: str
    digest: str
    """
    Changes with any byte of the models: SHA-256 of their manifest.
    """
    outcomes: Literal['simulated', 'calibrated', 'observed']
    """
    Origin of the outcomes that the models were trained on.
    """
    caution: str
    """
    What the predictions may be used for.
    """
    alive: Alive
    """
    What "alive" means, by planting method.
    """
    grid: Grid
    interval_level: float | None
    """
    Share of cases in which the survival of a planting is expected to lie in its interval; null without intervals.
    """
    features: list[Feature]
    scores: list[Score]
    evidence: list[Evidence]
    """
    Plantings that were observed, and what the models predict of them.
    """


class Site(TypedDict):
    latitude: float
    """
    Requested latitude.
    """
    longitude: float
    """
    Requested longitude.
    """
    matched_latitude: float
    """
    Latitude of the nearest data point.
    """
    matched_longitude: float
    """
    Longitude of the nearest data point.
    """
    match_distance_km: float
    """
    Great-circle distance to it; lower is better.
    """
    region: str
    """
    ISO 3166-2 code of its region.
    """
    matched_elevation_m: NotRequired[float]
    """
    Elevation of the data point. With `site`.
    """
    in_native_range: NotRequired[bool]
    """
    Whether it lies within the native range of the species. With `site`.
    """
    outside_training: NotRequired[list[str]]
    """
    Features beyond the 1st to 99th percentile of the training sites. With `site`.
    """


class Species(TypedDict):
    species_code: str
    """
    Code to use in requests, matched exactly.
    """
    common_name: str
    scientific_name: str
    group: Literal['conifer', 'hardwood']


class SpeciesList(TypedDict):
    species: list[Species]
    count: int


ManualSurvival = TypedDict(
    'ManualSurvival',
    {
        '1': list[float],
        '3': list[float],
        '5': list[float],
    },
)


DroneSeededSurvival = TypedDict(
    'DroneSeededSurvival',
    {
        '1': list[float],
        '3': list[float],
        '5': list[float],
    },
)


class SurfaceSurvival(TypedDict):
    manual: ManualSurvival
    drone_seeded: DroneSeededSurvival


class Surface(TypedDict):
    species_code: str
    """
    As requested.
    """
    species_common_name: str
    horizons: list[Literal[1, 3, 5]]
    points: int
    """
    How many points follow.
    """
    spacing_km: float
    """
    Between the rows of the points, north to south.
    """
    longitude: list[float]
    """
    Degrees east.
    """
    latitude: list[float]
    """
    Degrees north.
    """
    elevation_m: list[float]
    region: list[str]
    """
    ISO 3166-2 codes.
    """
    in_native_range: list[bool]
    """
    Whether the points lie within the native range of the species.
    """
    survival: SurfaceSurvival
    model: Model


class Usage(TypedDict):
    tier: Literal['spore', 'mycel', 'hypha']
    requests_today: int
    """
    Requests counted today, the UTC day.
    """
    limit: int | None
    """
    Requests a day; null is unlimited.
    """
    remaining: int | None
    """
    Requests left today; null is unlimited.
    """
    resets_at: str
    """
    The midnight UTC at which the count restarts.
    """


class ComparisonRequest(TypedDict):
    latitude: float
    """
    Degrees north.
    """
    longitude: float
    """
    Degrees east.
    """
    species_code: str
    """
    A code of GET /v1/species, matched exactly.
    """
    horizons: NotRequired[list[Literal[1, 3, 5]]]
    """
    Years; repeats collapse. All three by default.
    """
    elevation_m: NotRequired[float]
    """
    The site's own elevation in metres: elevation and climate move from the matched point's to it. At most 1000 m from the matched point's.
    """
    conditions: NotRequired[Conditions]
    """
    What you measured, in place of the values of the grid, and what you do: features of `GET /v1/model` with numbers in their units.
    """
    scenario: NotRequired[Scenario]
    """
    A changed climate: temperatures move by `warming_c`, precipitation by its percentage, relative humidity stays.
    """
    include: NotRequired[list[Literal['intervals', 'explanation', 'site']]]
    """
    What to add to the answer: where the survival is expected to lie (`intervals`), all contributions (`explanation`), what is known of the matched point (`site`).
    """


class Coverage(TypedDict):
    regions: list[Region]
    data_points: int
    search_radius_km: float
    """
    How far the nearest data point may be.
    """
    horizons: list[Literal[1, 3, 5]]
    planting_methods: list[Literal['manual', 'drone_seeded']]


class PlanOption(TypedDict):
    rank: int
    species_code: str
    """
    As requested.
    """
    species_common_name: str
    planting_method: Literal['manual', 'drone_seeded']
    in_native_range: bool
    """
    Whether at least half of its data points lie within the native range of the species.
    """
    survival: UnitSurvival
    cost_per_survivor: NotRequired[float | None]
    """
    Cost of a tree that is alive at the horizon; null where none is. With `costs`.
    """
    order: NotRequired[PlantingOrder | None]
    """
    What meets `target_per_ha`, rounded up; null where none survive. With `target_per_ha`.
    """


class PlanRequest(TypedDict):
    units: Units
    """
    Planting units: Polygons and MultiPolygons in WGS 84 degrees. Their properties are ignored.
    """
    horizon: NotRequired[Literal[1, 3, 5]]
    """
    Years.
    """
    costs: NotRequired[Costs]
    """
    What a planted tree (`manual`) and a sown spot (`drone_seeded`) cost, in any currency: for every method asked for. Options are then ranked by cost per survivor.
    """
    target_per_ha: NotRequired[float]
    """
    Living trees wanted on a hectare at `horizon`: each option then says in `order` what to plant or sow.
    """
    basis: NotRequired[Literal['mean', 'low']]
    """
    What `target_per_ha` is divided by: the mean survival, or the low end of its interval for a planting that is to meet the target in 9 of 10 cases.
    """
    scenario: NotRequired[Scenario]
    """
    A changed climate: temperatures move by `warming_c`, precipitation by its percentage, relative humidity stays.
    """
    conditions: NotRequired[Conditions]
    """
    What you measured, in place of the values of the grid, and what you do: features of `GET /v1/model` with numbers in their units.
    """
    planting_methods: NotRequired[list[Literal['manual', 'drone_seeded']]]
    """
    Planting methods; repeats collapse. Both by default.
    """
    species_codes: NotRequired[list[str]]
    """
    Codes of GET /v1/species, matched exactly; repeats collapse. All species by default.
    """
    native_only: NotRequired[bool]
    """
    Whether to leave out species whose native range does not hold the matched point. Ranges are drawn to kilometres: species that stand at their edges may be left out.
    """


class PlannedUnit(TypedDict):
    id: str | float
    """
    As requested.
    """
    area_ha: float
    """
    On the ellipsoid WGS 84, its edges being geodesics.
    """
    data_points: int
    """
    Data points inside the unit that are averaged; 0 where the nearest to its centroid stands for it.
    """
    nearest_km: float
    """
    From the centroid of the unit to the nearest data point.
    """
    options: list[PlanOption]


class Prediction(TypedDict):
    horizon_years: Literal[1, 3, 5]
    survival_probability: float
    risk_factors: list[RiskFactor]
    """
    Largest magnitude first.
    """
    interval: NotRequired[Interval]
    """
    Where the survival of a planting there is expected to lie in 8 of 10 cases (`level`). With `intervals`.
    """
    baseline: NotRequired[float]
    """
    Survival at the average site of species and method. With `explanation`.
    """
    contributions: NotRequired[list[Contribution]]
    """
    Of all features, largest first: with the baseline they add up to the survival. With `explanation`.
    """


class PredictionRequest(TypedDict):
    latitude: float
    """
    Degrees north.
    """
    longitude: float
    """
    Degrees east.
    """
    species_code: str
    """
    A code of GET /v1/species, matched exactly.
    """
    horizons: NotRequired[list[Literal[1, 3, 5]]]
    """
    Years; repeats collapse. All three by default.
    """
    planting_method: Literal['manual', 'drone_seeded']
    """
    How the tree is planted.
    """
    elevation_m: NotRequired[float]
    """
    The site's own elevation in metres: elevation and climate move from the matched point's to it. At most 1000 m from the matched point's.
    """
    conditions: NotRequired[Conditions]
    """
    What you measured, in place of the values of the grid, and what you do: features of `GET /v1/model` with numbers in their units.
    """
    scenario: NotRequired[Scenario]
    """
    A changed climate: temperatures move by `warming_c`, precipitation by its percentage, relative humidity stays.
    """
    include: NotRequired[list[Literal['intervals', 'explanation', 'site']]]
    """
    What to add to the answer: where the survival is expected to lie (`intervals`), all contributions (`explanation`), what is known of the matched point (`site`).
    """


class PredictionResult(TypedDict):
    site: Site
    species_code: str
    """
    As requested.
    """
    species_common_name: str
    planting_method: Literal['manual', 'drone_seeded']
    predictions: list[Prediction]
    model: Model
    generated_at: str


class RankedOption(TypedDict):
    rank: int
    """
    From 1, the best.
    """
    species_code: str
    """
    As requested.
    """
    species_common_name: str
    planting_method: Literal['manual', 'drone_seeded']
    in_native_range: bool
    """
    Whether the data point lies within the native range of the species.
    """
    predictions: list[Prediction]


class RankingRequest(TypedDict):
    latitude: float
    """
    Degrees north.
    """
    longitude: float
    """
    Degrees east.
    """
    planting_methods: NotRequired[list[Literal['manual', 'drone_seeded']]]
    """
    Planting methods; repeats collapse. Both by default.
    """
    species_codes: NotRequired[list[str]]
    """
    Codes of GET /v1/species, matched exactly; repeats collapse. All species by default.
    """
    native_only: NotRequired[bool]
    """
    Whether to leave out species whose native range does not hold the matched point. Ranges are drawn to kilometres: species that stand at their edges may be left out.
    """
    horizons: NotRequired[list[Literal[1, 3, 5]]]
    """
    Years; repeats collapse. All three by default.
    """
    elevation_m: NotRequired[float]
    """
    The site's own elevation in metres: elevation and climate move from the matched point's to it. At most 1000 m from the matched point's.
    """
    conditions: NotRequired[Conditions]
    """
    What you measured, in place of the values of the grid, and what you do: features of `GET /v1/model` with numbers in their units.
    """
    scenario: NotRequired[Scenario]
    """
    A changed climate: temperatures move by `warming_c`, precipitation by its percentage, relative humidity stays.
    """
    include: NotRequired[list[Literal['intervals', 'explanation', 'site']]]
    """
    What to add to the answer: where the survival is expected to lie (`intervals`), all contributions (`explanation`), what is known of the matched point (`site`).
    """


class RankingResult(TypedDict):
    site: RankedSite
    horizon_years: Literal[1, 3, 5]
    """
    The longest horizon asked for: that of the order.
    """
    ranking: list[RankedOption]
    model: Model
    generated_at: str


class BatchRequest(TypedDict):
    requests: list[PredictionRequest]
    """
    Entries.
    """


class BatchResult(TypedDict):
    results: list[PredictionResult | FailedResult]
    summary: Summary


class ManualPredictions(TypedDict):
    predictions: list[Prediction]


class DroneSeededPredictions(TypedDict):
    predictions: list[Prediction]


class MethodComparison(TypedDict):
    manual: ManualPredictions
    drone_seeded: DroneSeededPredictions


class ComparisonResult(TypedDict):
    site: Site
    species_code: str
    """
    As requested.
    """
    species_common_name: str
    comparison: MethodComparison
    method_differential: list[MethodDifference]
    model: Model
    generated_at: str


class PlanResult(TypedDict):
    units: list[PlannedUnit | FailedUnit]
    horizon_years: Literal[1, 3, 5]
    model: Model
    generated_at: str


PlantingMethod = Literal['manual', 'drone_seeded']
Include = Literal['intervals', 'explanation', 'site']
