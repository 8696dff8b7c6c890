import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectError } from '../support/error-body.js';
import { NO_NEARBY_DATA, OUTSIDE_COVERAGE, PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

const TOO_LARGE = ' '.repeat(1024 * 1024 + 1);
const TEXT = { 'content-type': 'text/plain' };
const NO_KEY = { 'x-api-key': '' };

let service: TestService;
/** A spore key whose quota is exhausted. */
let exhausted: Record<string, string>;
let deactivated: Record<string, string>;
let spore: Record<string, string>;

beforeAll(async () => {
  service = await startTestService();
  const issue = async () => {
    const { id, secret } = await service.issueKey('spore');
    return { id, header: { 'x-api-key': secret } };
  };
  spore = (await issue()).header;
  exhausted = (await issue()).header;
  await Promise.all(Array.from({ length: 100 }, () => service.get('/v1/species', exhausted)));
  const key = await issue();
  await service.administration.setState(key.id, 'deactivated');
  deactivated = key.header;
});
afterAll(() => service.stop());

test('the route is checked before key, media type, size and JSON', async () => {
  await expectError(await service.post('/v1/nothing', '{', NO_KEY), 404, 'not_found');
  await expectError(await service.post('/v1/nothing', 'x', TEXT), 404, 'not_found');
  await expectError(await service.post('/v1/nothing', TOO_LARGE), 404, 'not_found');
});

test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
  'the method %s is checked before key, size and JSON',
  async (method) => {
    for (const body of ['{', TOO_LARGE]) {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${service.apiUrl}/v1/predict`, { method, headers, body });
      await expectError(response, 405, 'method_not_allowed');
    }
  },
);

test('the key (401) is checked before media type, size, JSON and shape', async () => {
  for (const [body, headers] of [['x', TEXT], [TOO_LARGE], ['{'], [{}]] as const)
    await expectError(
      await service.post('/v1/predict', body, { ...headers, ...NO_KEY }),
      401,
      'invalid_api_key',
    );
});

test('the state of the key (403) is checked before media type and shape', async () => {
  await expectError(await service.post('/v1/predict', 'x', { ...TEXT, ...deactivated }), 403, 'key_inactive');
  await expectError(await service.post('/v1/predict', {}, deactivated), 403, 'key_inactive');
});

test('the quota (429) is checked before media type, size, JSON and shape', async () => {
  for (const [body, headers] of [['x', TEXT], [TOO_LARGE], ['{'], [{}]] as const)
    await expectError(
      await service.post('/v1/predict', body, { ...headers, ...exhausted }),
      429,
      'rate_limit_exceeded',
    );
});

test('the media type (415) is checked before the size (413)', async () => {
  await expectError(await service.post('/v1/predict', TOO_LARGE, TEXT), 415, 'unsupported_media_type');
});

test('the media type (415) is checked before the JSON (400)', async () => {
  await expectError(await service.post('/v1/predict', '{', TEXT), 415, 'unsupported_media_type');
  await expectError(await service.post('/v1/predict', '', TEXT), 415, 'unsupported_media_type');
});

test('the size (413) is checked before the JSON (400)', async () => {
  await expectError(await service.post('/v1/predict', TOO_LARGE), 413, 'payload_too_large');
});

test('the shape of a batch is checked before its number of entries', async () => {
  await expectError(
    await service.post('/v1/predict/batch', { requests: { length: 5000 } }, spore),
    422,
    'invalid_request',
  );
});

test('the number of entries of a batch is checked before the entries', async () => {
  const body = { requests: Array(11).fill({ latitude: 'x' }) };
  await expectError(await service.post('/v1/predict/batch', body, spore), 422, 'batch_too_large');
});

const WRONG_SHAPE = { horizons: [2] };
const WRONG_SPECIES = { species_code: 'XXXX' };
const WRONG_RANGE = { conditions: { vpd_max: 99 } };
const WRONG_ELEVATION = { elevation_m: 4400 };
const WRONG_METHOD = { planting_method: 'broadcast' };
test.each([
  ['shape before species', 'invalid_request', { ...PREDICT_REQUEST, ...WRONG_SHAPE, ...WRONG_SPECIES }],
  ['shape before method', 'invalid_request', { ...PREDICT_REQUEST, ...WRONG_SHAPE, ...WRONG_METHOD }],
  ['shape before coverage', 'invalid_request', { ...OUTSIDE_COVERAGE, ...WRONG_SHAPE }],
  ['species before method', 'invalid_species', { ...PREDICT_REQUEST, ...WRONG_SPECIES, ...WRONG_METHOD }],
  ['species before coverage', 'invalid_species', { ...OUTSIDE_COVERAGE, ...WRONG_SPECIES }],
  ['species before nearby data', 'invalid_species', { ...NO_NEARBY_DATA, ...WRONG_SPECIES }],
  ['method before coverage', 'invalid_method', { ...OUTSIDE_COVERAGE, ...WRONG_METHOD }],
  ['method before nearby data', 'invalid_method', { ...NO_NEARBY_DATA, ...WRONG_METHOD }],
  ['ranges before species', 'invalid_request', { ...PREDICT_REQUEST, ...WRONG_RANGE, ...WRONG_SPECIES }],
  ['ranges before coverage', 'invalid_request', { ...OUTSIDE_COVERAGE, ...WRONG_RANGE }],
  ['method before elevation', 'invalid_method', { ...PREDICT_REQUEST, ...WRONG_METHOD, ...WRONG_ELEVATION }],
  ['coverage before elevation', 'outside_coverage', { ...OUTSIDE_COVERAGE, ...WRONG_ELEVATION }],
  ['nearby data before elevation', 'no_nearby_data', { ...NO_NEARBY_DATA, ...WRONG_ELEVATION }],
])('a site is checked for %s, alone and in a batch', async (_order, code, request) => {
  await expectError(await service.post('/v1/predict', request), 422, code);
  const batch = await service.post('/v1/predict/batch', { requests: [request] });
  expect(await batch.json()).toMatchObject({ results: [{ error: { code } }] });
});
