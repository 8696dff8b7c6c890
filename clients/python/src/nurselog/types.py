"""The types of requests and answers, written by generate_types.py from the service's /openapi.json."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Summary(TypedDict):
    total: int
    successful: int
    failed: int


class DifferenceInterval(TypedDict):
    """
    Expected to contain the difference in 8 of 10 cases (`level`). With `intervals` in `include`.
    """

    level: float
    low: float
    high: float


class Conditions(TypedDict):
    """
    Measured values, which replace those of the grid, and practice: features of `GET /v1/model` with numbers in their units.
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
    Dimensionless.
    """
    overstory_cover: NotRequired[float]
    """
    In percent.
    """
    seeds_per_spot: NotRequired[float]
    """
    In seeds.
    """


class Contribution(TypedDict):
    feature: str
    """
    Name of the feature in GET /v1/model.
    """
    factor: str
    contribution: float
    """
    What the feature adds to the baseline.
    """
    value: float
    """
    Value that the model used.
    """
    unit: str
    average: float
    """
    Value at the average site of the species and method.
    """


class ErrorObject(TypedDict):
    code: Literal['invalid_json', 'invalid_api_key', 'key_inactive', 'not_found', 'method_not_allowed', 'not_acceptable', 'payload_too_large', 'unsupported_media_type', 'outside_coverage', 'no_nearby_data', 'invalid_species', 'invalid_method', 'batch_too_large', 'elevation_mismatch', 'invalid_request', 'rate_limit_exceeded', 'internal_error', 'overloaded', 'unavailable']
    message: str
    """
    Which value is invalid, why, and what is allowed.
    """
    details: NotRequired[dict[str, Any]]
    """
    More about the error. The fields depend on `code`.
    """


class FailedResult(TypedDict):
    error: ErrorObject
    latitude: float | None
    """
    As requested. Null if it was not a number.
    """
    longitude: float | None
    """
    As requested. Null if it was not a number.
    """


class Feature(TypedDict):
    feature: str
    factor: str
    """
    Name of the feature in risk factors.
    """
    unit: str
    minimum: float
    """
    Smallest value that a request may state.
    """
    maximum: float
    """
    Largest value that a request may state.
    """
    default: NotRequired[float]
    """
    For practice, which is not in the grid: average practice, which has no effect.
    """


class HealthModel(TypedDict):
    version: str
    codename: str
    series: str
    digest: str
    """
    SHA-256 of the manifest. It changes with any byte of the models.
    """


class Workers(TypedDict):
    ready: int
    total: int


class Health(TypedDict):
    status: Literal['ok', 'starting', 'degraded', 'draining']
    version: str
    """
    Version of the service.
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
    Mean of the low ends of the intervals.
    """
    high: float
    """
    Mean of the high ends of the intervals.
    """
    p10: float
    """
    The 10th percentile of the survival at the data points.
    """
    p90: float
    """
    The 90th percentile: with `p10`, how survival varies in the unit.
    """


class Outline1(TypedDict):
    type: Literal['Polygon']
    coordinates: list[list[list[float]]]


class Outline2(TypedDict):
    type: Literal['MultiPolygon']
    coordinates: list[list[list[list[float]]]]


class Costs(TypedDict):
    """
    Cost of a planted tree (`manual`) and of a sown spot (`drone_seeded`), in any currency. Every requested method needs one. Options are then ranked by cost per survivor.
    """

    manual: NotRequired[float]
    drone_seeded: NotRequired[float]


class PlantingOrder(TypedDict):
    per_ha: int
    """
    Trees to plant, or pods to sow, per hectare.
    """
    total: int
    """
    The same for the unit.
    """
    cost: NotRequired[float]
    """
    Cost of the total. With `costs`.
    """


class Interval(TypedDict):
    """
    Expected to contain the survival of a plot of a planting at the site in 8 of 10 cases (`level`). With `intervals` in `include`.
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
    Latitude of the matched point, the nearest data point.
    """
    matched_longitude: float
    """
    Longitude of the matched point, the nearest data point.
    """
    match_distance_km: float
    """
    Great-circle distance to the matched point; lower is better.
    """
    region: str
    """
    ISO 3166-2 code of the region of the matched point.
    """
    matched_elevation_m: NotRequired[float]
    """
    Elevation of the matched point. With `site` in `include`.
    """
    outside_training: NotRequired[list[str]]
    """
    Features outside the 1st to 99th percentile of the training sites. With `site` in `include`.
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
    Contribution to the survival probability, relative to the average site of the species and method.
    """


class Scenario(TypedDict):
    """
    A changed climate. Temperatures and precipitation change as stated; relative humidity stays the same.
    """

    warming_c: NotRequired[float]
    """
    In degC.
    """
    precipitation_change_percent: NotRequired[float]
    """
    In percent.
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
    SHA-256 of data/SHA256SUMS. It changes with any byte of the grid.
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
    Latitude of the matched point, the nearest data point.
    """
    matched_longitude: float
    """
    Longitude of the matched point, the nearest data point.
    """
    match_distance_km: float
    """
    Great-circle distance to the matched point; lower is better.
    """
    region: str
    """
    ISO 3166-2 code of the region of the matched point.
    """
    matched_elevation_m: NotRequired[float]
    """
    Elevation of the matched point. With `site` in `include`.
    """
    in_native_range: NotRequired[bool]
    """
    Whether the matched point is in the native range of the species. With `site` in `include`.
    """
    outside_training: NotRequired[list[str]]
    """
    Features outside the 1st to 99th percentile of the training sites. With `site` in `include`.
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
    Number of points.
    """
    spacing_km: float
    """
    Distance between rows of points, north to south.
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
    Whether the point is in the native range of the species.
    """
    survival: SurfaceSurvival
    model: Model


class Usage(TypedDict):
    tier: Literal['spore', 'mycel', 'hypha']
    requests_today: int
    """
    Requests counted on the current UTC day.
    """
    limit: int | None
    """
    Requests per day. Null is unlimited.
    """
    remaining: int | None
    """
    Requests left today. Null is unlimited.
    """
    resets_at: str
    """
    When the count restarts: midnight UTC.
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
    A code from GET /v1/species, matched exactly.
    """
    horizons: NotRequired[list[Literal[1, 3, 5]]]
    """
    Years. Duplicates are ignored. By default, all three.
    """
    elevation_m: NotRequired[float]
    """
    Elevation of the site in metres. Elevation and climate are adjusted from the matched point to it. The difference may be at most 1000 m.
    """
    conditions: NotRequired[Conditions]
    scenario: NotRequired[Scenario]
    include: NotRequired[list[Literal['intervals', 'explanation', 'site']]]
    """
    What to add to the response: intervals of the survival (`intervals`), the contributions of all features (`explanation`), details of the matched point (`site`).
    """


class MethodDifference(TypedDict):
    horizon_years: Literal[1, 3, 5]
    manual_advantage: float
    """
    Manual survival minus drone-seeded.
    """
    interval: NotRequired[DifferenceInterval]
    """
    Expected to contain the difference in 8 of 10 cases (`level`). With `intervals` in `include`.
    """


class Coverage(TypedDict):
    regions: list[Region]
    data_points: int
    search_radius_km: float
    """
    Maximum distance to the nearest data point.
    """
    horizons: list[Literal[1, 3, 5]]
    planting_methods: list[Literal['manual', 'drone_seeded']]


class ErrorBody(TypedDict):
    error: ErrorObject


class Evidence(TypedDict):
    source: str
    place: str
    treatment: str | None
    """
    Null if unknown.
    """
    species_code: str
    planting_method: Literal['manual', 'drone_seeded']
    years: float
    """
    Years until the trees were counted.
    """
    horizon_years: int
    """
    Year of the prediction. Between two horizons, the prediction is interpolated.
    """
    trees: int | None
    """
    Null if unknown.
    """
    observed: float
    """
    Share of the trees that were alive.
    """
    predicted: float
    low: float | None
    """
    Low end of the interval. Null without intervals.
    """
    high: float | None
    use: Literal['conditioning', 'held_out', 'shown']
    """
    Whether the models were conditioned on the planting or only compared with it.
    """


class FailedUnit(TypedDict):
    id: str | float
    """
    The id of a feature.
    """
    error: ErrorObject


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
    Whether at least half of the data points are in the native range of the species.
    """
    survival: UnitSurvival
    cost_per_survivor: NotRequired[float | None]
    """
    Cost per tree that is alive at the horizon. Null if none is. With `costs` in the request.
    """
    order: NotRequired[PlantingOrder | None]
    """
    What meets `target_per_ha`, rounded up. Null if no tree survives. With `target_per_ha`.
    """


class Unit(TypedDict):
    type: Literal['Feature']
    id: str | float
    """
    Unique in the request, at most 4096 bytes as JSON.
    """
    geometry: Outline1 | Outline2
    properties: NotRequired[Any]
    """
    Ignored.
    """


class Units(TypedDict):
    """
    Planting units: Polygons and MultiPolygons in WGS 84 degrees. Their properties are ignored.
    """

    type: Literal['FeatureCollection']
    crs: NotRequired[Any]
    """
    If present, it must name WGS 84 or NAD83.
    """
    features: list[Unit]


class PlanRequest(TypedDict):
    units: Units
    """
    Planting units: Polygons and MultiPolygons in WGS 84 degrees. Their properties are ignored.
    """
    horizon: NotRequired[Literal[1, 3, 5]]
    """
    Horizon in years.
    """
    costs: NotRequired[Costs]
    """
    Cost of a planted tree (`manual`) and of a sown spot (`drone_seeded`), in any currency. Every requested method needs one. Options are then ranked by cost per survivor.
    """
    target_per_ha: NotRequired[float]
    """
    Living trees wanted per hectare at `horizon`. Each option then has an `order`.
    """
    basis: NotRequired[Literal['mean', 'low']]
    """
    Survival by which `target_per_ha` is divided: the mean (`mean`), or the low end of the interval (`low`), so that the planting is expected to meet the target in 9 of 10 cases. By default, `mean`. Requires `target_per_ha`.
    """
    scenario: NotRequired[Scenario]
    conditions: NotRequired[Conditions]
    planting_methods: NotRequired[list[Literal['manual', 'drone_seeded']]]
    """
    Planting methods. Duplicates are ignored. By default, both.
    """
    species_codes: NotRequired[list[str]]
    """
    Codes from GET /v1/species, matched exactly. Duplicates are ignored. By default, all.
    """
    native_only: NotRequired[bool]
    """
    Whether to leave out species whose native range does not contain the matched point. Range maps are accurate to kilometres only: species at the edge of their range may be left out.
    """


class PlannedUnit(TypedDict):
    id: str | float
    """
    The id of a feature.
    """
    area_ha: float
    """
    Area on the WGS 84 ellipsoid, with geodesic edges.
    """
    data_points: int
    """
    Data points inside the unit that are averaged. If 0, the point nearest to the centroid is used.
    """
    nearest_km: float
    """
    Distance from the centroid to the nearest data point.
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
    Expected to contain the survival of a plot of a planting at the site in 8 of 10 cases (`level`). With `intervals` in `include`.
    """
    baseline: NotRequired[float]
    """
    Survival at the average site of species and method. With `explanation` in `include`.
    """
    contributions: NotRequired[list[Contribution]]
    """
    Of all features, largest first. Survival is `baseline` plus their sum. With `explanation` in `include`.
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
    A code from GET /v1/species, matched exactly.
    """
    horizons: NotRequired[list[Literal[1, 3, 5]]]
    """
    Years. Duplicates are ignored. By default, all three.
    """
    planting_method: Literal['manual', 'drone_seeded']
    """
    How the tree is planted.
    """
    elevation_m: NotRequired[float]
    """
    Elevation of the site in metres. Elevation and climate are adjusted from the matched point to it. The difference may be at most 1000 m.
    """
    conditions: NotRequired[Conditions]
    scenario: NotRequired[Scenario]
    include: NotRequired[list[Literal['intervals', 'explanation', 'site']]]
    """
    What to add to the response: intervals of the survival (`intervals`), the contributions of all features (`explanation`), details of the matched point (`site`).
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
    1 is the best.
    """
    species_code: str
    """
    As requested.
    """
    species_common_name: str
    planting_method: Literal['manual', 'drone_seeded']
    in_native_range: bool
    """
    Whether the matched point is in the native range of the species.
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
    Planting methods. Duplicates are ignored. By default, both.
    """
    species_codes: NotRequired[list[str]]
    """
    Codes from GET /v1/species, matched exactly. Duplicates are ignored. By default, all.
    """
    native_only: NotRequired[bool]
    """
    Whether to leave out species whose native range does not contain the matched point. Range maps are accurate to kilometres only: species at the edge of their range may be left out.
    """
    horizons: NotRequired[list[Literal[1, 3, 5]]]
    """
    Years. Duplicates are ignored. By default, all three.
    """
    elevation_m: NotRequired[float]
    """
    Elevation of the site in metres. Elevation and climate are adjusted from the matched point to it. The difference may be at most 1000 m.
    """
    conditions: NotRequired[Conditions]
    scenario: NotRequired[Scenario]
    include: NotRequired[list[Literal['intervals', 'explanation', 'site']]]
    """
    What to add to the response: intervals of the survival (`intervals`), the contributions of all features (`explanation`), details of the matched point (`site`).
    """


class RankingResult(TypedDict):
    site: RankedSite
    horizon_years: Literal[1, 3, 5]
    """
    The longest requested horizon, which decides the ranking.
    """
    ranking: list[RankedOption]
    model: Model
    generated_at: str


class ServedModel(TypedDict):
    version: str
    codename: str
    series: str
    digest: str
    """
    SHA-256 of the manifest. It changes with any byte of the models.
    """
    outcomes: Literal['simulated', 'calibrated', 'observed']
    """
    Origin of the outcomes that the models were trained on.
    """
    caution: str
    """
    Limits on the use of predictions.
    """
    alive: Alive
    """
    What "alive" means, by planting method.
    """
    grid: Grid
    interval_level: float | None
    """
    Share of plantings whose survival is expected to lie in the interval. Null without intervals.
    """
    features: list[Feature]
    scores: list[Score]
    evidence: list[Evidence]
    """
    Observed plantings, and the predictions of the models for them.
    """


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
