import { expect, test } from 'vitest';
import { csvOf, TABLE_PATH } from '../http/support/tables.js';
import { PLAN_REQUEST } from '../http/support/units.js';
import { expectError } from '../support/error-body.js';
import { FOREST_SITE, PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile, sharedService, type TestService } from '../support/service.js';

const LISTED = 'https://maps.example.org';
const ALSO_LISTED = 'http://localhost:5173';
const UNLISTED = [
  'https://evil.example.org',
  'null',
  'https://maps.example.org.evil.org',
  'http://maps.example.org',
  'https://maps.example.org:8443',
  'https://MAPS.example.org',
];
const ALLOW_ORIGIN = 'access-control-allow-origin';

const services = {
  none: await sharedService(),
  listed: await serviceOfFile({ CORS_ORIGINS: `${LISTED},${ALSO_LISTED}` }),
  any: await serviceOfFile({ CORS_ORIGINS: '*' }),
};

/** A request of each kind. */
const REQUESTS: readonly (readonly [
  path: string,
  contentType: string | undefined,
  body: string | undefined,
])[] = [
  ['/v1/predict', 'application/json', JSON.stringify(PREDICT_REQUEST)],
  [TABLE_PATH, 'text/csv', csvOf([PREDICT_REQUEST])],
  ['/v1/plan', 'application/json', JSON.stringify(PLAN_REQUEST)],
  ['/v1/predict/rank', 'application/json', JSON.stringify(FOREST_SITE)],
  ['/v1/surfaces/PSME?max_points=10', undefined, undefined],
  ['/v1/model', undefined, undefined],
  ['/v1/usage', undefined, undefined],
];

/** What a browser asks before a page of an origin may send a request with a key. */
function preflight(service: TestService, origin: string, path = '/v1/predict', method = 'POST') {
  const asked = 'accept,content-encoding,content-type,if-none-match,x-api-key';
  return fetch(service.apiUrl + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': asked,
    },
  });
}

/** The headers of CORS in a response. */
const corsHeaders = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

/** Sends the preflight, and then the request of a page. */
async function askAndSend(origin: string, path: string, contentType?: string, body?: string) {
  const { listed } = services;
  const method = body === undefined ? 'GET' : 'POST';
  const asked = await preflight(listed, origin, path, method);
  const headers = { 'x-api-key': listed.key, origin, ...(contentType && { 'content-type': contentType }) };
  const answer = await fetch(listed.apiUrl + path, { method, headers, ...(body && { body }) });
  await answer.arrayBuffer();
  return { method, asked, answer };
}

test.each(REQUESTS)(
  'a listed origin may ask %s and read its headers, without credentials',
  async (path, contentType, body) => {
    for (const origin of [LISTED, ALSO_LISTED]) {
      const { method, asked, answer } = await askAndSend(origin, path, contentType, body);
      expect([asked.status, asked.headers.get(ALLOW_ORIGIN)]).toEqual([204, origin]);
      expect(asked.headers.get('access-control-allow-methods')!.split(', ')).toContain(method);
      expect(asked.headers.get('vary')).toMatch(/origin/i);
      expect(asked.headers.has('x-request-id')).toBe(true);
      const names = ({ headers }: Response, kind: string) =>
        headers.get(`access-control-${kind}-headers`)!.toLowerCase().split(', ');
      for (const name of [
        'accept',
        'content-encoding',
        'content-type',
        'if-none-match',
        'x-api-key',
        'x-request-id',
      ])
        expect(names(asked, 'allow')).toContain(name);
      expect([answer.status, answer.headers.get(ALLOW_ORIGIN)]).toEqual([200, origin]);
      for (const name of ['etag', 'model-outcomes', 'ratelimit', 'retry-after', 'x-request-id'])
        expect(names(answer, 'expose')).toContain(name);
      for (const response of [asked, answer])
        expect(corsHeaders(response)).not.toContain('access-control-allow-credentials');
    }
  },
);

test.each(REQUESTS)(
  'an origin that is not listed may neither ask %s nor read its answer',
  async (path, contentType, body) => {
    for (const origin of UNLISTED) {
      const { asked, answer } = await askAndSend(origin, path, contentType, body);
      expect(corsHeaders(asked)).toEqual([]);
      await expectError(asked, 405, 'method_not_allowed');
      expect([answer.status, corsHeaders(answer)]).toEqual([200, []]);
      expect(answer.headers.get('vary')).toMatch(/origin/i);
    }
  },
);

test('preflights are not counted', async () => {
  const before = await (await services.listed.get('/v1/usage')).json();
  for (let repeat = 0; repeat < 5; repeat++) await preflight(services.listed, LISTED);
  expect(await (await services.listed.get('/v1/usage')).json()).toEqual(before);
});

test('without CORS_ORIGINS no origin is allowed, and no CORS header is sent', async () => {
  const response = await preflight(services.none, LISTED);
  expect(corsHeaders(response)).toEqual([]);
  await expectError(response, 405, 'method_not_allowed');
  const predicted = await services.none.post('/v1/predict', PREDICT_REQUEST, { origin: LISTED });
  expect([predicted.status, corsHeaders(predicted)]).toEqual([200, []]);
});

test('with CORS_ORIGINS=* every origin is allowed, including null', async () => {
  for (const origin of [LISTED, 'null', 'https://elsewhere.example']) {
    const response = await preflight(services.any, origin);
    expect([response.status, response.headers.get(ALLOW_ORIGIN)]).toEqual([204, '*']);
  }
});

test('answers and errors of every kind name the listed origin, so that its page sees them', async () => {
  const { listed } = services;
  const exhausted = await listed.exhaustedKey();
  const origin = { origin: LISTED };
  const responses = {
    200: await listed.post('/v1/predict', PREDICT_REQUEST, origin),
    400: await listed.post('/v1/predict', '{', origin),
    401: await listed.get('/v1/species', { ...origin, 'x-api-key': 'wrong' }),
    404: await listed.get('/v1/nothing', origin),
    405: await listed.get('/v1/predict', origin),
    422: await listed.post('/v1/predict', {}, origin),
    429: await listed.get('/v1/species', { ...origin, ...exhausted }),
  };
  for (const [status, { status: actual, headers }] of Object.entries(responses)) {
    expect([String(actual), headers.get(ALLOW_ORIGIN)]).toEqual([status, LISTED]);
    expect(headers.get('access-control-expose-headers')).toContain('X-Request-Id');
    expect(headers.get('vary')).toMatch(/origin/i);
  }
});

test('a path that cannot be decoded gets the same headers of CORS as one that does not exist', async () => {
  for (const service of Object.values(services)) {
    for (const headers of [{}, { origin: LISTED }, { origin: 'https://evil.example.org' }]) {
      const of = async (path: string) => {
        const response = await service.get(path, headers);
        expect(response.status).toBe(404);
        const names = [...corsHeaders(response), 'vary'];
        return names.map((name) => [name, response.headers.get(name)]);
      };
      expect(await of('/v1/%zz')).toEqual(await of('/v1/nothing'));
    }
  }
  const listed = await services.listed.get('/v1/%zz', { origin: LISTED });
  expect(listed.headers.get(ALLOW_ORIGIN)).toBe(LISTED);
});

test('a large answer to a page of another origin is compressed and varies by both', async () => {
  const body = { requests: Array.from({ length: 20 }, () => PREDICT_REQUEST) };
  const response = await services.listed.post('/v1/predict/batch', body, {
    origin: LISTED,
    'accept-encoding': 'gzip',
  });
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(response.headers.get('vary')!.toLowerCase().split(', ').toSorted()).toEqual([
    'accept-encoding',
    'origin',
  ]);
  expect(((await response.json()) as { results: unknown[] }).results).toHaveLength(20);
});

test('OPTIONS without a preflight is 405 with Allow, and any OPTIONS on an unknown path is 404', async () => {
  for (const service of Object.values(services)) {
    for (const headers of [{}, { origin: LISTED }]) {
      const onPath = await fetch(`${service.apiUrl}/v1/predict`, { method: 'OPTIONS', headers });
      expect(onPath.headers.get('allow')).toBe('POST');
      await expectError(onPath, 405, 'method_not_allowed');
      const elsewhere = await fetch(`${service.apiUrl}/nothing`, { method: 'OPTIONS', headers });
      await expectError(elsewhere, 404, 'not_found');
    }
    await expectError(await preflight(service, LISTED, '/v1/nothing'), 404, 'not_found');
  }
});
