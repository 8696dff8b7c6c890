import { z } from 'zod';
import { TIER_NAMES } from '../../accounts/tiers.js';
import { OUTCOMES, scoreSchema } from '../../prediction/artefacts/manifest.js';
import { speciesSchema } from '../../prediction/artefacts/species.js';
import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import { PHASES } from '../../work/serving/serving.js';
import {
  about,
  component,
  count,
  counted,
  horizonYears,
  instant,
  modelSchema,
  plantingMethod,
} from './schema-parts.js';

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

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ examples: ['229e4402fba823ec015c285340bc528defc3569a7c6c76e5ed5440c4076c5488'] });

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
