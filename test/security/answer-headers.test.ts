import { expect, test } from 'vitest';
import { PLAN_REQUEST } from '../http/support/units.js';
import { expectError } from '../support/error-body.js';
import { sendRaw } from '../support/raw-http.js';
import {
  COMPARE_REQUEST,
  FOREST_SITE,
  NO_NEARBY_DATA,
  OUTSIDE_COVERAGE,
  PREDICT_REQUEST,
} from '../support/requests.js';
import { sharedService } from '../support/service.js';

const service = await sharedService();
const exhausted = await service.exhaustedKey();

const UNKNOWN = `nurse_live_${'0'.repeat(32)}`;
const NO_STORE = 'no-store';
const CATALOGUE = 'private, max-age=300';
const DOCUMENT = 'public, max-age=300';
const HASHED = 'public, max-age=31536000, immutable';

/** The response with the first file that a page names so. */
const fileOf = async (page: string, name: RegExp) =>
  service.get(`/${name.exec(await (await service.get(page)).text())![0]}`);

/** Responses of every kind, of both listeners, and who may cache them. */
const RESPONSES: readonly (readonly [
  name: string,
  status: number,
  cacheControl: string,
  send: () => Promise<Response>,
])[] = [
  ['a prediction', 200, NO_STORE, () => service.post('/v1/predict', PREDICT_REQUEST)],
  ['a batch', 200, NO_STORE, () => service.post('/v1/predict/batch', { requests: [PREDICT_REQUEST] })],
  ['a comparison', 200, NO_STORE, () => service.post('/v1/predict/compare', COMPARE_REQUEST)],
  ['the species', 200, CATALOGUE, () => service.get('/v1/species')],
  ['the coverage', 200, CATALOGUE, () => service.get('/v1/coverage')],
  ['the health', 200, NO_STORE, () => service.get('/v1/health')],
  ['the OpenAPI document', 200, DOCUMENT, () => service.get('/openapi.json')],
  ['the documentation', 200, DOCUMENT, () => service.get('/docs')],
  ['the licences', 200, DOCUMENT, () => service.get('/licenses.txt')],
  ['a file of the documentation', 200, HASHED, () => fileOf('/docs', /docs\/\w+\/[\w-]+\.js/)],
  ["the planner's page", 200, 'no-cache', () => service.get('/')],
  ["a file of the planner's page", 200, HASHED, () => fileOf('/', /assets\/[\w-]+\.js/)],
  [
    'a catalogue without a valid key',
    401,
    NO_STORE,
    () => service.get('/v1/species', { 'x-api-key': 'none' }),
  ],
  ['a catalogue beyond the quota', 429, NO_STORE, () => service.get('/v1/coverage', exhausted)],
  ['an invalid body', 400, NO_STORE, () => service.post('/v1/predict', '{')],
  ['an unknown path', 404, NO_STORE, () => service.get('/nowhere')],
  ['a path that cannot be decoded', 404, NO_STORE, () => service.get('/v1/%zz')],
  ['the metrics', 200, NO_STORE, () => fetch(`${service.opsUrl}/metrics`)],
  ['the readiness', 200, NO_STORE, () => fetch(`${service.opsUrl}/readyz`)],
];

test.each(RESPONSES)(
  'the response with %s has status %i, Cache-Control: %s and forbids guessing its type',
  async (_name, status, cacheControl, send) => {
    const response = await send();
    await response.arrayBuffer();
    expect(response.status).toBe(status);
    expect(response.headers.get('cache-control')).toBe(cacheControl);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  },
);

test.each([
  ['that is not HTTP', 'hello\r\n\r\n'],
  ['for a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['with an unknown expectation', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n'],
])('no cache may keep the response to a request %s', async (_name, request) => {
  const { headers } = await sendRaw(service.apiUrl, request);
  expect(headers.get('cache-control')).toBe(NO_STORE);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test.each([
  ['is missing', undefined],
  ['is malformed', { 'x-api-key': 'none' }],
  ['is unknown', { 'x-api-key': UNKNOWN }],
  ['is in capitals', { 'x-api-key': UNKNOWN.toUpperCase() }],
  ['has a character more', { 'x-api-key': `${service.key}0` }],
  ['has a character less', { 'x-api-key': service.key.slice(0, -1) }],
])('a 401 names the scheme and the header in WWW-Authenticate when the key %s', async (_when, headers) => {
  const response = await fetch(`${service.apiUrl}/v1/species`, headers === undefined ? {} : { headers });
  await expectError(response, 401, 'invalid_api_key');
  expect(response.headers.get('www-authenticate')).toBe('ApiKey realm="nurselog", header="X-API-Key"');
});

test('only a 401 has WWW-Authenticate', async () => {
  for (const response of [await service.get('/v1/species'), await service.get('/v1/species', exhausted)])
    expect(response.headers.has('www-authenticate')).toBe(false);
});

test.each<[what: string, path: string, body: object]>([
  ['a prediction', '/v1/predict', PREDICT_REQUEST],
  ['a comparison', '/v1/predict/compare', COMPARE_REQUEST],
  ['a ranking', '/v1/predict/rank', FOREST_SITE],
  ['a plan', '/v1/plan', PLAN_REQUEST],
  ['a batch', '/v1/predict/batch', { requests: [PREDICT_REQUEST] }],
  ['a batch with failed entries', '/v1/predict/batch', { requests: ['x', PREDICT_REQUEST, NO_NEARBY_DATA] }],
  ['a batch of failed entries only', '/v1/predict/batch', { requests: [OUTSIDE_COVERAGE] }],
  ['an empty batch', '/v1/predict/batch', { requests: [] }],
])('the answer to %s says in a header that the outcomes are simulated', async (_what, url, body) => {
  const { status, headers } = await service.post(url, body);
  expect([status, headers.get('model-outcomes')]).toEqual([200, 'simulated']);
});

test('errors and answers without predictions have no header about outcomes', async () => {
  const answers = await Promise.all([
    service.post('/v1/predict', { ...PREDICT_REQUEST, species_code: 'XXXX' }),
    service.post('/v1/predict', NO_NEARBY_DATA),
    service.post('/v1/predict/compare', OUTSIDE_COVERAGE),
    service.post('/v1/predict/batch', {}),
    service.post('/v1/predict', PREDICT_REQUEST, { 'x-api-key': 'x' }),
    service.get('/v1/species'),
    service.get('/v1/model'),
  ]);
  expect(answers.map(({ headers }) => headers.get('model-outcomes'))).toEqual(answers.map(() => null));
});
