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

const probability = z.number().min(0).max(1);
const horizonYears = z.literal([...HORIZONS]);

const siteSchema = component('Site', {
  latitude: z.number().describe('Requested latitude.'),
  longitude: z.number().describe('Requested longitude.'),
  matched_latitude: z.number().describe('Latitude of the nearest data point.'),
  matched_longitude: z.number().describe('Longitude of the nearest data point.'),
  match_distance_km: z.number().min(0).describe('Great-circle distance to it; lower is better.'),
  region: z.string().meta({ description: 'ISO 3166-2 code of its region.', examples: ['US-OR'] }),
  matched_elevation_m: z.number().exactOptional().describe('Elevation of the data point. With `site`.'),
  in_native_range: z
    .boolean()
    .exactOptional()
    .describe('Whether it lies within the native range of the species. With `site`.'),
  outside_training: z
    .array(z.string())
    .exactOptional()
    .describe('Features beyond the 1st to 99th percentile of the training sites. With `site`.'),
});

const riskFactorSchema = component('RiskFactor', {
  factor: z.string().meta({ examples: ['vapor pressure deficit'] }),
  impact: z.enum(['positive', 'negative']),
  magnitude: z
    .number()
    .min(0)
    .describe(
      'Contribution to the survival probability, relative to the average site of species and method.',
    ),
});

const contributionSchema = component('Contribution', {
  feature: z.string().meta({ description: 'Key of GET /v1/model.', examples: ['vpd_max'] }),
  factor: z.string(),
  contribution: z.number().describe('To the survival probability, relative to the average site.'),
  value: z.number().describe('As the model saw it.'),
  unit: z.string(),
  average: z.number().describe('Value at the average site of species and method.'),
});

/** An interval of values from a minimum to 1. */
function intervalSchema(minimum: number) {
  const end = z.number().min(minimum).max(1);
  return z
    .strictObject({ level: probability, low: end, high: end })
    .exactOptional()
    .describe('Contains the value of a planting there with the probability `level`. With `intervals`.');
}

const predictionSchema = component('Prediction', {
  horizon_years: horizonYears,
  survival_probability: probability,
  risk_factors: z.array(riskFactorSchema).length(RISK_FACTOR_COUNT),
  interval: intervalSchema(0),
  baseline: probability
    .exactOptional()
    .describe('Survival at the average site of species and method. With `explanation`.'),
  contributions: z
    .array(contributionSchema)
    .exactOptional()
    .describe(
      'Of all features, largest first: with the baseline they add up to the survival. With `explanation`.',
    ),
});

const predictionsSchema = z.array(predictionSchema).min(1);

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const modelSchema = component('Model', {
  version: z.string(),
  codename: z.string(),
  series: z.string(),
});

const generatedAt = z.iso.datetime({ precision: 3 });

export const predictionResultSchema = component('PredictionResult', {
  site: siteSchema,
  species_code: z.string(),
  species_common_name: z.string(),
  planting_method: z.enum(PLANTING_METHODS),
  predictions: predictionsSchema,
  model: modelSchema,
  generated_at: generatedAt,
});

const failedResultSchema = component('FailedResult', {
  error: errorObjectSchema,
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
});

const count = z.int().min(0);

export const batchResponseSchema = component('BatchResult', {
  results: z.array(z.union([predictionResultSchema, failedResultSchema])),
  summary: z.strictObject({ total: count, successful: count, failed: count }),
});

const methodPredictions = z.strictObject({ predictions: predictionsSchema });

export const compareResponseSchema = component('ComparisonResult', {
  site: siteSchema,
  species_code: z.string(),
  species_common_name: z.string(),
  comparison: z.strictObject({ manual: methodPredictions, drone_seeded: methodPredictions }),
  method_differential: z.array(
    z.strictObject({
      horizon_years: horizonYears,
      manual_advantage: z.number().min(-1).max(1).describe('Manual minus drone-seeded survival.'),
      interval: intervalSchema(-1),
    }),
  ),
  model: modelSchema,
  generated_at: generatedAt,
});

export const speciesResponseSchema = component('SpeciesList', {
  species: z.array(component('Species', speciesSchema.shape)),
  count,
});

const degrees = z.number();

const regionSchema = component('Region', {
  region: z.string(),
  name: z.string(),
  bounds: z.strictObject({ south: degrees, west: degrees, north: degrees, east: degrees }),
  data_points: count,
});

export const coverageResponseSchema = component('Coverage', {
  regions: z.array(regionSchema),
  data_points: count,
  search_radius_km: z.number().positive(),
  horizons: z.array(horizonYears),
  planting_methods: z.array(z.enum(PLANTING_METHODS)),
});

const servedFeatureSchema = component('Feature', {
  feature: z.string().meta({ examples: ['vpd_max'] }),
  factor: z.string().meta({ description: 'Its name in risk factors.', examples: ['vapor pressure deficit'] }),
  unit: z.string(),
  minimum: z.number().describe('Smallest value that may be measured.'),
  maximum: z.number().describe('Largest value that may be measured.'),
});

const modelDigest = sha256.describe('Changes with any byte of the models: SHA-256 of their manifest.');

export const modelResponseSchema = component('ServedModel', {
  ...modelSchema.shape,
  digest: modelDigest,
  outcomes: z.enum(OUTCOMES).describe('Origin of the outcomes that the models were trained on.'),
  caution: z.string(),
  alive: z
    .strictObject({ manual: z.string(), drone_seeded: z.string() })
    .describe('What "alive" means, by planting method.'),
  grid: z.strictObject({
    points: count,
    digest: sha256.describe('Changes with any byte of the grid: SHA-256 of data/SHA256SUMS.'),
  }),
  interval_level: z
    .number()
    .nullable()
    .describe(
      'Share of plantings whose survival an interval is expected to contain; null without intervals.',
    ),
  features: z.array(servedFeatureSchema),
  scores: z.array(
    component('Score', scoreSchema.shape).describe('On held-out blocks; null where a score is not defined.'),
  ),
});

export const usageResponseSchema = component('Usage', {
  tier: z.enum(TIER_NAMES),
  requests_today: count.describe('Requests counted today, the UTC day.'),
  limit: count.nullable().describe('Requests a day; null is unlimited.'),
  remaining: count.nullable().describe('Requests left today; null is unlimited.'),
  resets_at: generatedAt.describe('The midnight UTC at which the count restarts.'),
});

export const healthResponseSchema = component('Health', {
  status: z.enum(PHASES),
  version: z.string(),
  model: z.strictObject({ ...modelSchema.shape, digest: modelDigest }),
  data_points: count,
  species: count,
  workers: z.strictObject({ ready: count, total: count }),
  uptime_seconds: z.number().min(0),
});

export const errorResponseSchema = component('Error', { error: errorObjectSchema });
