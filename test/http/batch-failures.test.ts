import { afterAll, beforeAll, expect, test } from 'vitest';
import { batchResponseSchema } from '../../src/http/response/schemas.js';
import { parseErrorBody } from '../support/error-body.js';
import { NO_NEARBY_DATA, OUTSIDE_COVERAGE, PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

const HERE = { latitude: PREDICT_REQUEST.latitude, longitude: PREDICT_REQUEST.longitude };
const NOWHERE = { latitude: null, longitude: null };

/** An entry as its JSON, the code it fails with, and the coordinates its element has. */
type Failure = readonly [entry: string, code: string, coordinates: object];

function failure(change: object, code: string, coordinates: object = HERE): Failure {
  return [JSON.stringify({ ...PREDICT_REQUEST, ...change }), code, coordinates];
}

const FAILURES: readonly Failure[] = [
  failure(OUTSIDE_COVERAGE, 'outside_coverage', { latitude: 43.615, longitude: -116.202 }),
  failure(NO_NEARBY_DATA, 'no_nearby_data', { latitude: 42.53, longitude: -118.45 }),
  failure({ species_code: 'XXXX' }, 'invalid_species'),
  failure({ planting_method: 'broadcast' }, 'invalid_method'),
  failure({ planting_method: null }, 'invalid_method'),
  failure({ planting_method: undefined }, 'invalid_request'),
  failure({ horizons: [2] }, 'invalid_request'),
  failure({ latitude: 95 }, 'invalid_request', { ...HERE, latitude: 95 }),
  failure({ latitude: '44.12' }, 'invalid_request', { ...HERE, latitude: null }),
  failure({ longitude: undefined }, 'invalid_request', { ...HERE, longitude: null }),
  failure({ latitude: [44.12], longitude: {} }, 'invalid_request', NOWHERE),
  [JSON.stringify(PREDICT_REQUEST).replace('44.12', '1e999'), 'invalid_request', { ...HERE, latitude: null }],
  ['{"__proto__":{"latitude":44.12,"longitude":-122.03}}', 'invalid_request', NOWHERE],
  ...['{}', 'null', '[]', '"x"', '7', 'true', '[44.12,-122.03]'].map(
    (entry): Failure => [entry, 'invalid_request', NOWHERE],
  ),
];

let service: TestService;
let key: Record<string, string>;
beforeAll(async () => {
  service = await startTestService();
  key = { 'x-api-key': (await service.issueKey('mycel')).secret };
});
afterAll(() => service.stop());

async function batch(entries: readonly string[]) {
  const response = await service.post('/v1/predict/batch', `{"requests":[${entries.join()}]}`, key);
  expect(response.status).toBe(200);
  return batchResponseSchema.parse(await response.json());
}

test('failed entries of every kind are in their places beside successes, and the batch is 200', async () => {
  const good = JSON.stringify(PREDICT_REQUEST);
  const { results, summary } = await batch(FAILURES.flatMap(([entry]) => [good, entry, good]));
  FAILURES.forEach(([, code, coordinates], i) => {
    expect(results[3 * i]).toMatchObject({ site: HERE });
    expect(results[3 * i + 1]).toMatchObject({ error: { code }, ...coordinates });
    expect(results[3 * i + 2]).toMatchObject({ site: HERE });
  });
  const total = 3 * FAILURES.length;
  expect(summary).toEqual({ total, successful: total - FAILURES.length, failed: FAILURES.length });
});

test.each(FAILURES)(
  'the failed entry %s has exactly error, latitude and longitude, with the error of POST /v1/predict',
  async (entry, code) => {
    const { results } = await batch([entry]);
    expect(Object.keys(results[0])).toEqual(['error', 'latitude', 'longitude']);
    const alone = parseErrorBody(await (await service.post('/v1/predict', entry, key)).text());
    expect(alone.code).toBe(code);
    expect(results[0]).toMatchObject({ error: alone });
  },
);

test('a batch in which every entry fails is 200', async () => {
  const { results, summary } = await batch(FAILURES.map(([entry]) => entry));
  expect(results.map((result) => 'error' in result && result.error.code)).toEqual(
    FAILURES.map(([, code]) => code),
  );
  expect(summary).toMatchObject({ successful: 0, failed: FAILURES.length });
});
