import { z } from 'zod';
import { errorObjectSchema } from '../../formats/errors/api-error.js';
import { MAX_ID_BYTES } from '../../formats/plan/unit-reader.js';
import { RISK_FACTOR_COUNT } from '../../prediction/dimensions.js';
import * as field from './fields.js';

// The response bodies, for /openapi.json and for tests that check real responses. The service does not validate its own
// responses.

const siteSchema = field.component('Site', {
  latitude: field.number(44.12, 'Requested latitude.'),
  longitude: field.number(-122.03, 'Requested longitude.'),
  matched_latitude: field.number(44.11669, 'Latitude of the matched point, the nearest data point.'),
  matched_longitude: field.number(-122.03331, 'Longitude of the matched point, the nearest data point.'),
  match_distance_km: field.nonNegative(0.453, 'Great-circle distance to the matched point; lower is better.'),
  region: field.text('US-OR', 'ISO 3166-2 code of the region of the matched point.'),
  matched_elevation_m: field
    .number(651, 'Elevation of the matched point. With `site` in `include`.')
    .exactOptional(),
  in_native_range: field
    .flag(true, 'Whether the matched point is in the native range of the species. With `site` in `include`.')
    .exactOptional(),
  outside_training: field
    .of(
      z.array(z.string()),
      ['vpd_max'],
      'Features outside the 1st to 99th percentile of the training sites. With `site` in `include`.',
    )
    .exactOptional(),
});

const riskFactorSchema = field.component('RiskFactor', {
  factor: field.text('vapor pressure deficit'),
  impact: z.enum(['positive', 'negative']),
  magnitude: field.nonNegative(
    0.0302,
    'Contribution to the survival probability, relative to the average site of the species and method.',
  ),
});

const contributionSchema = field.component('Contribution', {
  feature: field.text('vpd_max', 'Name of the feature in GET /v1/model.'),
  factor: field.text('vapor pressure deficit'),
  contribution: field.number(-0.030212, 'What the feature adds to the baseline.'),
  value: field.number(12.6, 'Value that the model used.'),
  unit: field.text('hPa'),
  average: field.number(9.81, 'Value at the average site of the species and method.'),
});

/** An interval of values from a minimum to 1. @param value names what it should contain */
function intervalSchema(minimum: number, value: string, low: number, high: number) {
  const end = (example: number) => field.of(z.number().min(minimum).max(1), example);
  return z
    .strictObject({ level: field.share(0.8), low: end(low), high: end(high) })
    .exactOptional()
    .describe(
      `Expected to contain ${value} in 8 of 10 cases (\`level\`). With \`intervals\` in \`include\`.`,
    );
}

const predictionSchema = field.component('Prediction', {
  horizon_years: field.horizonYears,
  survival_probability: field.share(0.9422),
  risk_factors: field.of(
    z.array(riskFactorSchema).length(RISK_FACTOR_COUNT),
    [
      { factor: 'vapor pressure deficit', impact: 'negative', magnitude: 0.0302 },
      { factor: 'precipitation', impact: 'positive', magnitude: 0.0251 },
      { factor: 'dew point temperature', impact: 'positive', magnitude: 0.0246 },
    ],
    'Largest magnitude first.',
  ),
  interval: intervalSchema(0, 'the survival of a plot of a planting at the site', 0.8312, 0.9904),
  baseline: field
    .share(0.913245, 'Survival at the average site of species and method. With `explanation` in `include`.')
    .exactOptional(),
  contributions: z
    .array(contributionSchema)
    .exactOptional()
    .describe(
      'Of all features, largest first. Survival is `baseline` plus their sum. With `explanation` in `include`.',
    ),
});

const predictionsSchema = z.array(predictionSchema).min(1);
const speciesShape = { species_code: field.speciesCode, species_common_name: field.speciesCommonName };
/** The last fields of every answer. */
const originShape = { model: field.modelSchema, generated_at: field.generatedAt };

export const predictionResultSchema = field.component('PredictionResult', {
  site: siteSchema,
  ...speciesShape,
  planting_method: field.plantingMethod,
  predictions: predictionsSchema,
  ...originShape,
});

const failedResultSchema = field.component('FailedResult', {
  error: errorObjectSchema,
  latitude: field.of(z.number().nullable(), 43.615, 'As requested. Null if it was not a number.'),
  longitude: field.of(z.number().nullable(), -116.202, 'As requested. Null if it was not a number.'),
});

export const batchResponseSchema = field.component('BatchResult', {
  results: z.array(z.union([predictionResultSchema, failedResultSchema])),
  summary: z.strictObject({ total: field.count(2), successful: field.count(1), failed: field.count(1) }),
});

const methodPredictions = z.strictObject({ predictions: predictionsSchema });

export const compareResponseSchema = field.component('ComparisonResult', {
  site: siteSchema,
  ...speciesShape,
  comparison: z.strictObject({ manual: methodPredictions, drone_seeded: methodPredictions }),
  method_differential: z.array(
    z.strictObject({
      horizon_years: field.horizonYears,
      manual_advantage: field.of(z.number().min(-1).max(1), 0.0741, 'Manual survival minus drone-seeded.'),
      interval: intervalSchema(-1, 'the difference', -0.0736, 0.322),
    }),
  ),
  ...originShape,
});

const { in_native_range, ...rankedSite } = siteSchema.shape;

export const rankingResponseSchema = field.component('RankingResult', {
  site: field.component('RankedSite', rankedSite),
  horizon_years: field.horizonYears.describe('The longest requested horizon, which decides the ranking.'),
  ranking: z.array(
    field.component('RankedOption', {
      rank: field.of(z.int().min(1), 1, '1 is the best.'),
      ...speciesShape,
      planting_method: field.plantingMethod,
      in_native_range: z
        .boolean()
        .describe('Whether the matched point is in the native range of the species.'),
      predictions: predictionsSchema,
    }),
  ),
  ...originShape,
});

const unitId = z
  .union([z.string().max(MAX_ID_BYTES), z.number()])
  .meta({ id: 'UnitId', description: 'The id of a feature.', examples: ['A-17'] });

const plannedUnitSchema = field.component('PlannedUnit', {
  id: unitId,
  area_ha: field.of(z.number().positive(), 355.8232, 'Area on the WGS 84 ellipsoid, with geodesic edges.'),
  data_points: field.count(
    9,
    'Data points inside the unit that are averaged. If 0, the point nearest to the centroid is used.',
  ),
  nearest_km: field.nonNegative(0.224, 'Distance from the centroid to the nearest data point.'),
  options: z.array(
    field.component('PlanOption', {
      rank: field.of(z.int().min(1), 1),
      ...speciesShape,
      planting_method: field.plantingMethod,
      in_native_range: z
        .boolean()
        .describe('Whether at least half of the data points are in the native range of the species.'),
      survival: z.strictObject({
        mean: field.share(0.8379, 'Mean of the survival at the data points.'),
        low: field.share(0.5951, 'Mean of the low ends of the intervals.'),
        high: field.share(0.9719, 'Mean of the high ends of the intervals.'),
        p10: field.share(0.8102, 'The 10th percentile of the survival at the data points.'),
        p90: field.share(0.8611, 'The 90th percentile: with `p10`, how survival varies in the unit.'),
      }),
      cost_per_survivor: field
        .of(
          z.number().min(0).nullable(),
          1.4322,
          'Cost per tree that is alive at the horizon. Null if none is. With `costs` in the request.',
        )
        .exactOptional(),
      order: field
        .component('PlantingOrder', {
          per_ha: field.count(478, 'Trees to plant, or pods to sow, per hectare.'),
          total: field.count(169865, 'The same for the unit.'),
          cost: field.nonNegative(203838, 'Cost of the total. With `costs`.').exactOptional(),
        })
        .nullable()
        .exactOptional()
        .describe('What meets `target_per_ha`, rounded up. Null if no tree survives. With `target_per_ha`.'),
    }),
  ),
});

export const planResponseSchema = field.component('PlanResult', {
  units: z.array(
    z.union([plannedUnitSchema, field.component('FailedUnit', { id: unitId, error: errorObjectSchema })]),
  ),
  horizon_years: field.horizonYears,
  ...originShape,
});

export const errorResponseSchema = field.component('ErrorBody', { error: errorObjectSchema });
