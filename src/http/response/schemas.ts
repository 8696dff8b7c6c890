import { z } from 'zod';
import { TIER_NAMES } from '../../accounts/tiers.js';
import { OUTCOMES, scoreSchema } from '../../prediction/artefacts/manifest.js';
import { speciesSchema } from '../../prediction/artefacts/species.js';
import { HORIZONS, PLANTING_METHODS, RISK_FACTOR_COUNT } from '../../prediction/dimensions.js';
import { errorObjectSchema } from '../errors/api-error.js';
import { PHASES } from '../serving/serving.js';

// The response bodies, for /openapi.json and for tests that check real responses. The service does not validate its own
// responses.

/** An object with exactly these fields, which has a name in /openapi.json. */
function component<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.strictObject(shape).meta({ id });
}

/** Describes a field with an example. */
function about(description: string, example: unknown) {
  return { description, examples: [example] };
}

const probability = z.number().min(0).max(1);
const horizonYears = z.literal([...HORIZONS]);
const speciesCode = z.string().meta(about('As requested.', 'PSME'));
const speciesCommonName = z.string().meta({ examples: ['Douglas-fir'] });
const plantingMethod = z.enum(PLANTING_METHODS);

const siteSchema = component('Site', {
  latitude: z.number().meta(about('Requested latitude.', 44.12)),
  longitude: z.number().meta(about('Requested longitude.', -122.03)),
  matched_latitude: z.number().meta(about('Latitude of the nearest data point.', 44.11669)),
  matched_longitude: z.number().meta(about('Longitude of the nearest data point.', -122.03331)),
  match_distance_km: z.number().min(0).meta(about('Great-circle distance to it; lower is better.', 0.453)),
  region: z.string().meta(about('ISO 3166-2 code of its region.', 'US-OR')),
  matched_elevation_m: z
    .number()
    .exactOptional()
    .meta(about('Elevation of the data point. With `site`.', 651)),
  in_native_range: z
    .boolean()
    .exactOptional()
    .meta(about('Whether it lies within the native range of the species. With `site`.', true)),
  outside_training: z
    .array(z.string())
    .exactOptional()
    .meta(
      about('Features beyond the 1st to 99th percentile of the training sites. With `site`.', ['vpd_max']),
    ),
});

const riskFactorSchema = component('RiskFactor', {
  factor: z.string().meta({ examples: ['vapor pressure deficit'] }),
  impact: z.enum(['positive', 'negative']),
  magnitude: z
    .number()
    .min(0)
    .meta(
      about(
        'Contribution to the survival probability, relative to the average site of species and method.',
        0.0384,
      ),
    ),
});

const contributionSchema = component('Contribution', {
  feature: z.string().meta(about('Key of GET /v1/model.', 'vpd_max')),
  factor: z.string().meta({ examples: ['vapor pressure deficit'] }),
  contribution: z
    .number()
    .meta(about('To the survival probability, relative to the average site.', -0.038412)),
  value: z.number().meta(about('As the model saw it.', 12.6)),
  unit: z.string().meta({ examples: ['hPa'] }),
  average: z.number().meta(about('Value at the average site of species and method.', 9.81)),
});

/** An interval of values from a minimum to 1. @param expectation says where what is expected to lie */
function intervalSchema(minimum: number, expectation: string, low: number, high: number) {
  const end = (example: number) =>
    z
      .number()
      .min(minimum)
      .max(1)
      .meta({ examples: [example] });
  return z
    .strictObject({ level: probability.meta({ examples: [0.8] }), low: end(low), high: end(high) })
    .exactOptional()
    .describe(`${expectation} is expected to lie in 8 of 10 cases (\`level\`). With \`intervals\`.`);
}

const predictionSchema = component('Prediction', {
  horizon_years: horizonYears,
  survival_probability: probability.meta({ examples: [0.94] }),
  risk_factors: z
    .array(riskFactorSchema)
    .length(RISK_FACTOR_COUNT)
    .meta(
      about('Largest magnitude first.', [
        { factor: 'vapor pressure deficit', impact: 'negative', magnitude: 0.0384 },
        { factor: 'precipitation', impact: 'positive', magnitude: 0.0213 },
        { factor: 'dew point temperature', impact: 'positive', magnitude: 0.0174 },
      ]),
    ),
  interval: intervalSchema(0, 'Where the survival of a planting there', 0.8312, 0.9904),
  baseline: probability
    .exactOptional()
    .meta(about('Survival at the average site of species and method. With `explanation`.', 0.913245)),
  contributions: z
    .array(contributionSchema)
    .exactOptional()
    .describe(
      'Of all features, largest first: with the baseline they add up to the survival. With `explanation`.',
    ),
});

const predictionsSchema = z.array(predictionSchema).min(1);

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ examples: ['229e4402fba823ec015c285340bc528defc3569a7c6c76e5ed5440c4076c5488'] });

const modelSchema = component('Model', {
  version: z.string().meta({ examples: ['pnw_v1_3_hemlock'] }),
  codename: z.string().meta({ examples: ['hemlock'] }),
  series: z.string().meta({ examples: ['Nurselog'] }),
});

const instant = z.iso.datetime({ precision: 3 });
const generatedAt = instant.meta({ examples: ['2026-11-22T11:17:47.575Z'] });

export const predictionResultSchema = component('PredictionResult', {
  site: siteSchema,
  species_code: speciesCode,
  species_common_name: speciesCommonName,
  planting_method: plantingMethod,
  predictions: predictionsSchema,
  model: modelSchema,
  generated_at: generatedAt,
});

const failedResultSchema = component('FailedResult', {
  error: errorObjectSchema,
  latitude: z.number().nullable().meta(about('Null where it was not a number.', 43.615)),
  longitude: z.number().nullable().meta(about('Null where it was not a number.', -116.202)),
});

const count = z.int().min(0);
/** A count with an example. */
const counted = (example: number) => count.meta({ examples: [example] });

export const batchResponseSchema = component('BatchResult', {
  results: z.array(z.union([predictionResultSchema, failedResultSchema])),
  summary: z.strictObject({ total: counted(2), successful: counted(1), failed: counted(1) }),
});

const methodPredictions = z.strictObject({ predictions: predictionsSchema });

export const compareResponseSchema = component('ComparisonResult', {
  site: siteSchema,
  species_code: speciesCode,
  species_common_name: speciesCommonName,
  comparison: z.strictObject({ manual: methodPredictions, drone_seeded: methodPredictions }),
  method_differential: z.array(
    z.strictObject({
      horizon_years: horizonYears,
      manual_advantage: z.number().min(-1).max(1).meta(about('Manual minus drone-seeded survival.', 0.0741)),
      interval: intervalSchema(-1, 'Where the difference itself', -0.0736, 0.322),
    }),
  ),
  model: modelSchema,
  generated_at: generatedAt,
});

const { in_native_range, ...rankedSite } = siteSchema.shape;

export const rankingResponseSchema = component('RankingResult', {
  site: component('RankedSite', rankedSite),
  horizon_years: horizonYears.describe('The longest horizon asked for: that of the order.'),
  ranking: z.array(
    component('RankedOption', {
      rank: z.int().min(1).meta(about('From 1, the best.', 1)),
      species_code: speciesCode,
      species_common_name: speciesCommonName,
      planting_method: plantingMethod,
      in_native_range: z
        .boolean()
        .describe('Whether the data point lies within the native range of the species.'),
      predictions: predictionsSchema,
    }),
  ),
  model: modelSchema,
  generated_at: generatedAt,
});

const unitId = z.union([z.string(), z.number()]).meta(about('As requested.', 'A-17'));

const meanOf = (description: string, example: number) => probability.meta(about(description, example));

const plannedUnitSchema = component('PlannedUnit', {
  id: unitId,
  area_ha: z.number().positive().meta(about('On the ellipsoid WGS 84, its edges being geodesics.', 355.8232)),
  data_points: count.meta(
    about(
      'Data points inside the unit that are averaged; 0 where the nearest to its centroid stands for it.',
      9,
    ),
  ),
  nearest_km: z
    .number()
    .min(0)
    .meta(about('From the centroid of the unit to the nearest data point.', 0.224)),
  options: z.array(
    component('PlanOption', {
      rank: z
        .int()
        .min(1)
        .meta({ examples: [1] }),
      species_code: speciesCode,
      species_common_name: speciesCommonName,
      planting_method: plantingMethod,
      in_native_range: z
        .boolean()
        .describe('Whether at least half of its data points lie within the native range of the species.'),
      survival: z.strictObject({
        mean: meanOf('Mean of the survival at the data points.', 0.8379),
        low: meanOf('Mean of the low ends of their intervals.', 0.5951),
        high: meanOf('Mean of the high ends of their intervals.', 0.9719),
      }),
      cost_per_survivor: z
        .number()
        .min(0)
        .nullable()
        .exactOptional()
        .meta(
          about('Cost of a tree that is alive at the horizon; null where none is. With `costs`.', 1.4322),
        ),
    }),
  ),
});

export const planResponseSchema = component('PlanResult', {
  units: z.array(
    z.union([plannedUnitSchema, component('FailedUnit', { id: unitId, error: errorObjectSchema })]),
  ),
  horizon_years: horizonYears,
  model: modelSchema,
  generated_at: generatedAt,
});

const survival = probability.meta({ examples: [0.8263] });
const survivals = z.array(probability).meta({ examples: [[0.8263, 0.829]] });
const survivalColumns = z.strictObject({ 1: survivals, 3: survivals, 5: survivals });

const surfaceShape = {
  species_code: speciesCode,
  species_common_name: speciesCommonName,
  horizons: z.array(horizonYears),
  points: z.int().min(0).meta(about('How many points follow.', 2)),
  spacing_km: z.number().positive().meta(about('Between the rows of the points, north to south.', 0.927)),
};

/** The bodies of surfaces by their media type. */
export const surfaceResponses = {
  'application/json': component('Surface', {
    ...surfaceShape,
    longitude: z.array(z.number()).meta(about('Degrees east.', [-122.09997, -122.09164])),
    latitude: z.array(z.number()).meta(about('Degrees north.', [44.10003, 44.10003])),
    elevation_m: z.array(z.number()).meta({ examples: [[1101, 1159]] }),
    region: z.array(z.string()).meta(about('ISO 3166-2 codes.', ['US-OR', 'US-OR'])),
    in_native_range: z
      .array(z.boolean())
      .meta(about('Whether the points lie within the native range of the species.', [true, true])),
    survival: z.strictObject({ manual: survivalColumns, drone_seeded: survivalColumns }),
    model: modelSchema,
  }),
  'application/geo+json': component('SurfaceFeatures', {
    type: z.literal('FeatureCollection'),
    ...surfaceShape,
    model: modelSchema,
    features: z.array(
      component('SurfaceFeature', {
        type: z.literal('Feature'),
        geometry: z.strictObject({
          type: z.literal('Point'),
          coordinates: z
            .array(z.number())
            .length(2)
            .meta(about('Degrees east, degrees north.', [-122.09997, 44.10003])),
        }),
        properties: z.strictObject({
          elevation_m: z.number().meta({ examples: [1101] }),
          region: z.string().meta(about('ISO 3166-2 code.', 'US-OR')),
          in_native_range: z.boolean(),
          survival_manual_1: survival,
          survival_manual_3: survival,
          survival_manual_5: survival,
          survival_drone_seeded_1: survival,
          survival_drone_seeded_3: survival,
          survival_drone_seeded_5: survival,
        }),
      }),
    ),
  }),
  'text/csv': z.string().meta({
    id: 'SurfaceCsv',
    description:
      'A header line, and a line for each point: longitude, latitude and the properties of a SurfaceFeature.',
  }),
  'application/vnd.apache.arrow.stream': z.string().meta({
    id: 'SurfaceArrow',
    format: 'binary',
    description:
      'The columns of the CSV; what the JSON says beside its columns is in the metadata of the schema.',
  }),
};

export const speciesResponseSchema = component('SpeciesList', {
  species: z.array(component('Species', speciesSchema.shape)),
  count: counted(31),
});

const degrees = (example: number) => z.number().meta({ examples: [example] });

const regionSchema = component('Region', {
  region: z.string().meta(about('ISO 3166-2 code.', 'US-OR')),
  name: z.string().meta({ examples: ['Oregon'] }),
  bounds: z.strictObject({
    south: degrees(41.99162),
    west: degrees(-124.57858),
    north: degrees(46.26802),
    east: degrees(-116.46391),
  }),
  data_points: counted(240_858),
});

export const coverageResponseSchema = component('Coverage', {
  regions: z.array(regionSchema),
  data_points: counted(428_007),
  search_radius_km: z.number().positive().meta(about('How far the nearest data point may be.', 0.8)),
  horizons: z.array(horizonYears).meta({ examples: [[...HORIZONS]] }),
  planting_methods: z.array(plantingMethod).meta({ examples: [[...PLANTING_METHODS]] }),
});

const servedFeatureSchema = component('Feature', {
  feature: z.string().meta({ examples: ['vpd_max'] }),
  factor: z.string().meta(about('Its name in risk factors.', 'vapor pressure deficit')),
  unit: z.string().meta({ examples: ['hPa'] }),
  minimum: z.number().meta(about('Smallest value that may be measured.', 0)),
  maximum: z.number().meta(about('Largest value that may be measured.', 50)),
});

const { auc, brier, calibration_slope, expected_calibration_error } = scoreSchema.shape;
const scoreComponent = component('Score', {
  ...scoreSchema.shape,
  auc: auc.meta({ examples: [0.73] }),
  brier: brier.meta({ examples: [0.1034] }),
  calibration_slope: calibration_slope.meta({ examples: [0.978] }),
  expected_calibration_error: expected_calibration_error.meta({ examples: [0.0021] }),
});

const modelDigest = sha256.describe('Changes with any byte of the models: SHA-256 of their manifest.');

export const modelResponseSchema = component('ServedModel', {
  ...modelSchema.shape,
  digest: modelDigest,
  outcomes: z.enum(OUTCOMES).describe('Origin of the outcomes that the models were trained on.'),
  caution: z
    .string()
    .meta(about('What the predictions may be used for.', 'The models are trained on simulated outcomes.')),
  alive: z
    .strictObject({
      manual: z.string().meta({ examples: ['A planted seedling counts as alive if it lives.'] }),
      drone_seeded: z
        .string()
        .meta({ examples: ['A spot counts as alive if at least one seedling lives there.'] }),
    })
    .describe('What "alive" means, by planting method.'),
  grid: z.strictObject({
    points: counted(428_007),
    digest: sha256.describe('Changes with any byte of the grid: SHA-256 of data/SHA256SUMS.'),
  }),
  interval_level: z
    .number()
    .nullable()
    .meta(
      about(
        'Share of cases in which the survival of a planting is expected to lie in its interval; null without intervals.',
        0.8,
      ),
    ),
  features: z.array(servedFeatureSchema),
  scores: z.array(scoreComponent.describe('On held-out blocks; null where a score is not defined.')),
});

export const usageResponseSchema = component('Usage', {
  tier: z.enum(TIER_NAMES),
  requests_today: count.meta(about('Requests counted today, the UTC day.', 14)),
  limit: count.nullable().meta(about('Requests a day; null is unlimited.', 10_000)),
  remaining: count.nullable().meta(about('Requests left today; null is unlimited.', 9986)),
  resets_at: instant.meta(about('The midnight UTC at which the count restarts.', '2026-11-23T00:00:00.000Z')),
});

export const healthResponseSchema = component('Health', {
  status: z.enum(PHASES),
  version: z.string().meta(about('Of the service.', '1.0.0')),
  model: z.strictObject({ ...modelSchema.shape, digest: modelDigest }),
  data_points: counted(428_007),
  species: counted(31),
  workers: z.strictObject({ ready: counted(2), total: counted(2) }),
  uptime_seconds: z
    .number()
    .min(0)
    .meta({ examples: [3600] }),
});

export const errorResponseSchema = component('Error', { error: errorObjectSchema });
