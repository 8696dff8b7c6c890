import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import {
  batchResponseSchema,
  compareResponseSchema,
  predictionResultSchema,
} from '../../src/http/response/schemas.js';
import { readPredictorData } from '../../testing/project.js';
import { COMPARE_REQUEST, PREDICT_REQUEST, scatteredSites } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

type Result = z.output<typeof predictionResultSchema>;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

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
const compare = (change: object = {}) =>
  answer('/v1/predict/compare', { ...COMPARE_REQUEST, ...change }, compareResponseSchema);
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

test.each([
  [undefined, [1, 3, 5]],
  [[1], [1]],
  [
    [5, 3, 1],
    [1, 3, 5],
  ],
  [
    [3, 3, 1, 3],
    [1, 3],
  ],
  [Array(1000).fill(5), [5]],
])(
  'repeated horizons are predicted once and all are in ascending order, case %#',
  async (horizons, expected) => {
    const { predictions } = await predict({ horizons });
    expect(predictions.map(({ horizon_years }) => horizon_years)).toEqual(expected);
  },
);

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

test.each(['manual', 'broadcast', 7, null])(
  'a comparison ignores a planting_method of %j',
  async (planting_method) => {
    const { generated_at: _, ...given } = await compare({ planting_method });
    const { generated_at: __, ...plain } = await compare();
    expect(given).toEqual(plain);
  },
);

test('an empty batch has empty results and a zero summary', async () => {
  expect(await batch([])).toEqual({ results: [], summary: { total: 0, successful: 0, failed: 0 } });
});

test('each entry of a batch of 500 gets what POST /v1/predict gives it alone, in submission order', async () => {
  const requests = scatteredSites(250).flatMap((site, i) => [
    {
      ...PREDICT_REQUEST,
      ...site,
      planting_method: i % 3 === 0 ? 'manual' : 'drone_seeded',
      horizons: [5, 1],
    },
    i % 5 === 0
      ? { ...PREDICT_REQUEST, species_code: `X${i}` }
      : { ...PREDICT_REQUEST, species_code: 'TSHE' },
  ]);
  const { results, summary } = await batch(requests);
  const alone = await Promise.all(
    requests.map(async (request) => {
      const response = await service.post('/v1/predict', request);
      const body = (await response.json()) as { error?: object; generated_at: string };
      return response.status === 200
        ? body
        : { ...body, latitude: request.latitude, longitude: request.longitude };
    }),
  );
  const timeless = (elements: object[]) => elements.map((element) => ({ ...element, generated_at: '' }));
  expect(timeless(results)).toEqual(timeless(alone));
  const failed = results.filter((result) => 'error' in result).length;
  expect(failed).toBeGreaterThanOrEqual(50);
  expect(summary).toEqual({ total: 500, successful: 500 - failed, failed });
});

const sites = scatteredSites(500);
const { manifest } = readPredictorData();
let results: Result[];
/** Answers all over both states, of every species and both methods. */
beforeAll(async () => {
  const requests = sites.map((site, i) => ({
    ...site,
    species_code: manifest.species[i % manifest.species.length],
    planting_method: i % 2 === 0 ? 'manual' : 'drone_seeded',
  }));
  results = (await batch(requests)).results.filter((result) => 'site' in result);
  expect(results.length).toBeGreaterThan(50);
});

/** Decimals that the shortest form of a number has. */
function decimals(value: number): number {
  return String(value).split('.')[1]?.length ?? 0;
}

test('matched coordinates have at most 5 decimals, the distance 3, probabilities and magnitudes 4', () => {
  for (const { site, predictions } of results) {
    expect(decimals(site.matched_latitude)).toBeLessThanOrEqual(5);
    expect(decimals(site.matched_longitude)).toBeLessThanOrEqual(5);
    expect(decimals(site.match_distance_km)).toBeLessThanOrEqual(3);
    for (const { survival_probability, risk_factors } of predictions) {
      expect(decimals(survival_probability)).toBeLessThanOrEqual(4);
      for (const { magnitude } of risk_factors) expect(decimals(magnitude)).toBeLessThanOrEqual(4);
    }
  }
});

test('survival_probability never rises with the horizon', () => {
  for (const { predictions } of results) {
    const [one, three, five] = predictions.map(({ survival_probability }) => survival_probability);
    expect(one).toBeGreaterThanOrEqual(three!);
    expect(three).toBeGreaterThanOrEqual(five!);
  }
});

test('risk_factors are 3 different factors, largest first, ties in feature order', () => {
  const order = manifest.features.map(({ label }) => label);
  for (const { risk_factors } of results.flatMap(({ predictions }) => predictions)) {
    expect(new Set(risk_factors.map(({ factor }) => factor)).size).toBe(3);
    const ranked = risk_factors.toSorted(
      (a, b) => b.magnitude - a.magnitude || order.indexOf(a.factor) - order.indexOf(b.factor),
    );
    expect(risk_factors).toEqual(ranked);
  }
});

test('only features that may be risk factors are reported as such, never species or method', () => {
  const allowed = manifest.features.filter(({ risk_factor }) => risk_factor).map(({ label }) => label);
  for (const { factor } of results.flatMap(({ predictions }) => predictions.flatMap((p) => p.risk_factors)))
    expect(allowed).toContain(factor);
});

test('generated_at and model are the same for every element of one response', () => {
  expect(new Set(results.map(({ generated_at }) => generated_at)).size).toBe(1);
  expect(new Set(results.map(({ model }) => JSON.stringify(model))).size).toBe(1);
});
