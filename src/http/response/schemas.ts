import { z } from 'zod';
import { RISK_FACTOR_COUNT } from '../../prediction/dimensions.js';
import { errorObjectSchema } from '../../prediction/errors/api-error.js';
import {
  about,
  component,
  count,
  counted,
  generatedAt,
  horizonYears,
  modelSchema,
  plantingMethod,
  probability,
  speciesCode,
  speciesCommonName,
} from './schema-parts.js';

// The response bodies, for /openapi.json and for tests that check real responses. The service does not validate its own
// responses.

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

export const errorResponseSchema = component('Error', { error: errorObjectSchema });
