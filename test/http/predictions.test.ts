import { expect, test } from 'vitest';
import type { z } from 'zod';
import {
  batchResponseSchema,
  compareResponseSchema,
  predictionResultSchema,
} from '../../src/http/response/schemas.js';
import { COMPARE_REQUEST, PREDICT_REQUEST, scatteredSites } from '../support/requests.js';
import { sharedService } from '../support/service.js';

const service = await sharedService();

async function answer<Schema extends z.ZodType>(path: string, body: object, schema: Schema) {
  const response = await service.post(path, body);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const json = (await response.json()) as z.output<Schema>;
  schema.parse(json);
  return json;
}
const predict = (change: object = {}) =>
  answer('/v1/predict', { ...PREDICT_REQUEST, ...change }, predictionResultSchema);
const compare = () => answer('/v1/predict/compare', COMPARE_REQUEST, compareResponseSchema);
const batch = (requests: unknown[]) =>
  answer('/v1/predict/batch', { requests, tag: 'ignored' }, batchResponseSchema);
const fields = (value: object) => Object.keys(value).join(' ');

// The values are compared with those of a plain implementation in random-options.test.ts.
test('predictions, comparisons and batches have exactly the documented fields, in the documented order', async () => {
  const result = await predict();
  expect(fields(result)).toBe(
    'site species_code species_common_name planting_method predictions model generated_at',
  );
  expect(fields(result.site)).toBe(
    'latitude longitude matched_latitude matched_longitude match_distance_km region',
  );
  expect(fields(result.predictions[0])).toBe('horizon_years survival_probability risk_factors');
  expect(fields(result.predictions[0].risk_factors[0])).toBe('factor impact magnitude');
  expect(fields(result.model)).toBe('version codename series');
  const comparison = await compare();
  expect(fields(comparison)).toBe(
    'site species_code species_common_name comparison method_differential model generated_at',
  );
  expect(fields(comparison.comparison)).toBe('manual drone_seeded');
  expect(fields(comparison.comparison.manual)).toBe('predictions');
  expect(fields(comparison.method_differential[0]!)).toBe('horizon_years manual_advantage');
  const answered = await batch([PREDICT_REQUEST]);
  expect(fields(answered)).toBe('results summary');
  expect(fields(answered.summary)).toBe('total successful failed');
});

test('generated_at is the moment of the request in UTC with milliseconds and Z', async () => {
  const before = Date.now();
  const { generated_at } = await predict();
  expect(generated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(Date.parse(generated_at)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(generated_at)).toBeLessThanOrEqual(Date.now());
});

test('Server-Timing reports the time in the queue and in the models', async () => {
  const response = await service.post('/v1/predict', PREDICT_REQUEST);
  expect(response.headers.get('server-timing')).toMatch(/^queue;dur=\d+\.\d{3}, inference;dur=\d+\.\d{3}$/);
});

test('an empty batch has empty results and a zero summary', async () => {
  expect(await batch([])).toEqual({ results: [], summary: { total: 0, successful: 0, failed: 0 } });
});

test('generated_at and model are the same for every element of one response', async () => {
  const { results } = await batch(scatteredSites(500).map((site) => ({ ...PREDICT_REQUEST, ...site })));
  const answered = results.filter((result) => 'site' in result);
  expect(answered.length).toBeGreaterThan(50);
  expect(new Set(answered.map(({ generated_at }) => generated_at)).size).toBe(1);
  expect(new Set(answered.map(({ model }) => JSON.stringify(model))).size).toBe(1);
});
