import { z } from 'zod';
import { TIER_NAMES } from '../../accounts/tiers.js';
import { evidenceSchema, OUTCOMES, scoreSchema } from '../../prediction/artefacts/manifest.js';
import { speciesSchema } from '../../prediction/artefacts/species.js';
import { HORIZONS, PLANTING_METHODS } from '../../prediction/dimensions.js';
import { PHASES } from '../phase.js';
import * as field from './fields.js';

export const speciesResponseSchema = field.component('SpeciesList', {
  species: z.array(field.component('Species', speciesSchema.shape)),
  count: field.count(31),
});

const regionSchema = field.component('Region', {
  region: field.text('US-OR', 'ISO 3166-2 code.'),
  name: field.text('Oregon'),
  bounds: z.strictObject({
    south: field.number(41.99162),
    west: field.number(-124.57858),
    north: field.number(46.29461),
    east: field.number(-116.46391),
  }),
  data_points: field.count(240_858),
});

export const coverageResponseSchema = field.component('Coverage', {
  regions: z.array(regionSchema),
  data_points: field.count(428_007),
  search_radius_km: field.of(z.number().positive(), 0.8, 'Maximum distance to the nearest data point.'),
  horizons: field.of(z.array(field.horizonYears), [...HORIZONS]),
  planting_methods: field.of(z.array(field.plantingMethod), [...PLANTING_METHODS]),
});

const sha256 = (description: string) =>
  field.of(
    z.string().regex(/^[0-9a-f]{64}$/),
    '229e4402fba823ec015c285340bc528defc3569a7c6c76e5ed5440c4076c5488',
    description,
  );

const servedFeatureSchema = field.component('Feature', {
  feature: field.text('vpd_max'),
  factor: field.text('vapor pressure deficit', 'Name of the feature in risk factors.'),
  unit: field.text('hPa'),
  minimum: field.number(0, 'Smallest value that a request may state.'),
  maximum: field.number(50, 'Largest value that a request may state.'),
  default: field
    .number(0.5, 'For practice, which is not in the grid: average practice, which has no effect.')
    .exactOptional(),
});

const modelDigest = sha256('SHA-256 of the manifest. It changes with any byte of the models.');

export const modelResponseSchema = field.component('ServedModel', {
  ...field.modelSchema.shape,
  digest: modelDigest,
  outcomes: z.enum(OUTCOMES).describe('Origin of the outcomes that the models were trained on.'),
  caution: field.text('The models are trained on simulated outcomes.', 'Limits on the use of predictions.'),
  alive: z
    .strictObject({
      manual: field.text('A planted seedling counts as alive if it lives.'),
      drone_seeded: field.text('A spot counts as alive if at least one seedling lives there.'),
    })
    .describe('What "alive" means, by planting method.'),
  grid: z.strictObject({
    points: field.count(428_007),
    digest: sha256('SHA-256 of data/SHA256SUMS. It changes with any byte of the grid.'),
  }),
  interval_level: field.of(
    z.number().nullable(),
    0.8,
    'Share of plantings whose survival is expected to lie in the interval. Null without intervals.',
  ),
  features: z.array(servedFeatureSchema),
  scores: z.array(
    field
      .component('Score', scoreSchema.shape)
      .describe('Scores on held-out blocks. Null where a score is not defined.'),
  ),
  evidence: z
    .array(field.component('Evidence', evidenceSchema.shape))
    .describe('Observed plantings, and the predictions of the models for them.'),
});

export const usageResponseSchema = field.component('Usage', {
  tier: z.enum(TIER_NAMES),
  requests_today: field.count(14, 'Requests counted on the current UTC day.'),
  limit: field.of(z.int().min(0).nullable(), 10_000, 'Requests per day. Null is unlimited.'),
  remaining: field.of(z.int().min(0).nullable(), 9986, 'Requests left today. Null is unlimited.'),
  resets_at: field.of(field.instant, '2026-11-23T00:00:00.000Z', 'When the count restarts: midnight UTC.'),
});

export const healthResponseSchema = field.component('Health', {
  status: z.enum(PHASES),
  version: field.text('1.0.0', 'Version of the service.'),
  model: z.strictObject({ ...field.modelSchema.shape, digest: modelDigest }),
  data_points: field.count(428_007),
  species: field.count(31),
  workers: z.strictObject({ ready: field.count(2), total: field.count(2) }),
  uptime_seconds: field.nonNegative(3600),
});
