import { afterAll, beforeAll, expect, test } from 'vitest';
import { predictionResultSchema } from '../../src/http/response/schemas.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

async function predict(change: object = {}) {
  const response = await service.post('/v1/predict', { ...PREDICT_REQUEST, ...change });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const body = (await response.json()) as ReturnType<typeof predictionResultSchema.parse>;
  predictionResultSchema.parse(body);
  return body;
}

test('a prediction repeats the site, species and method of its request', async () => {
  const result = await predict();
  expect(result.site).toMatchObject({ latitude: 44.12, longitude: -122.03, region: 'US-OR' });
  expect(result).toMatchObject({
    species_code: 'PSME',
    species_common_name: 'Douglas-fir',
    planting_method: 'manual',
  });
  expect((await predict({ planting_method: 'drone_seeded' })).planting_method).toBe('drone_seeded');
});

test('a prediction has exactly the documented fields, in the documented order', async () => {
  const result = await predict();
  const fields = (value: object) => Object.keys(value).join(' ');
  expect(fields(result)).toBe(
    'site species_code species_common_name planting_method predictions model generated_at',
  );
  expect(fields(result.site)).toBe(
    'latitude longitude matched_latitude matched_longitude match_distance_km region',
  );
  expect(fields(result.predictions[0])).toBe('horizon_years survival_probability risk_factors');
  expect(fields(result.predictions[0].risk_factors[0])).toBe('factor impact magnitude');
  expect(fields(result.model)).toBe('version codename series');
});

test.each([
  [undefined, [1, 3, 5]],
  [[1], [1]],
  [
    [5, 1],
    [1, 5],
  ],
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

test('the prediction of a horizon is the same whichever others are requested', async () => {
  const all = await predict();
  const one = await predict({ horizons: [3] });
  expect(one.predictions).toEqual([all.predictions[1]]);
});

test('unknown fields of a request are ignored', async () => {
  const { predictions } = await predict({ plot: 'A-17', horizonYears: [9], nested: { latitude: 'x' } });
  expect(predictions).toEqual((await predict()).predictions);
});

test('model.version is <coverage>_v<major>_<minor>_<codename>', async () => {
  const { model } = await predict();
  expect(model.version).toMatch(new RegExp(`^pnw_v\\d+_\\d+_${model.codename}$`));
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
