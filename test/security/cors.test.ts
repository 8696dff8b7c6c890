import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectError } from '../support/error-body.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

const LISTED = 'https://maps.example.org';
const ALSO_LISTED = 'http://localhost:5173';
const ALLOW_ORIGIN = 'access-control-allow-origin';

const services: Record<'none' | 'listed' | 'any', TestService> = {} as never;
beforeAll(async () => {
  services.none = await startTestService({ WORKERS: '1' });
  services.listed = await startTestService({ WORKERS: '1', CORS_ORIGINS: `${LISTED},${ALSO_LISTED}` });
  services.any = await startTestService({ WORKERS: '1', CORS_ORIGINS: '*' });
});
afterAll(() => Promise.all(Object.values(services).map((service) => service.stop())));

/** What a browser asks before a page of an origin may send a request with a key. */
function preflight(service: TestService, origin: string, path = '/v1/predict'): Promise<Response> {
  return fetch(service.apiUrl + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-api-key',
    },
  });
}

/** The headers of CORS in a response. */
const corsHeaders = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

test.each([LISTED, ALSO_LISTED])('a preflight of the listed origin %s needs no key', async (origin) => {
  const response = await preflight(services.listed, origin);
  expect(response.status).toBe(204);
  expect(response.headers.get(ALLOW_ORIGIN)).toBe(origin);
  expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST');
  const allowed = response.headers.get('access-control-allow-headers')!.toLowerCase().split(', ');
  expect(allowed).toEqual(expect.arrayContaining(['content-type', 'x-api-key', 'x-request-id']));
  expect(response.headers.get('vary')).toMatch(/origin/i);
  expect(response.headers.has('x-request-id')).toBe(true);
});

test('a preflight of an address with a parameter is answered, too', async () => {
  const response = await preflight(services.listed, LISTED, '/v1/surfaces/PSME?max_points=10');
  expect([response.status, response.headers.get(ALLOW_ORIGIN)]).toEqual([204, LISTED]);
});

test('preflights are not counted', async () => {
  const before = await (await services.listed.get('/v1/usage')).json();
  for (let repeat = 0; repeat < 5; repeat++) await preflight(services.listed, LISTED);
  expect(await (await services.listed.get('/v1/usage')).json()).toEqual(before);
});

test.each([
  'https://evil.example.org',
  'null',
  'https://maps.example.org.evil.org',
  'http://maps.example.org',
  'https://maps.example.org:8443',
  'https://MAPS.example.org',
])('a preflight of the unlisted origin %s is refused like any other method', async (origin) => {
  const response = await preflight(services.listed, origin);
  expect(corsHeaders(response)).toEqual([]);
  await expectError(response, 405, 'method_not_allowed');
});

test('without CORS_ORIGINS no origin is answered, and no header of CORS is sent', async () => {
  const response = await preflight(services.none, LISTED);
  expect(corsHeaders(response)).toEqual([]);
  await expectError(response, 405, 'method_not_allowed');
  const predicted = await services.none.post('/v1/predict', PREDICT_REQUEST, { origin: LISTED });
  expect([predicted.status, corsHeaders(predicted)]).toEqual([200, []]);
});

test('with * every origin is answered, null too', async () => {
  for (const origin of [LISTED, 'null', 'https://elsewhere.example']) {
    const response = await preflight(services.any, origin);
    expect([response.status, response.headers.get(ALLOW_ORIGIN)]).toEqual([204, '*']);
  }
});

test('answers and errors of every kind name the listed origin, so that its page sees them', async () => {
  const { listed } = services;
  const spore = { 'x-api-key': (await listed.issueKey('spore')).secret };
  await Promise.all(Array.from({ length: 100 }, () => listed.get('/v1/species', spore)));
  const origin = { origin: LISTED };
  const responses = {
    200: await listed.post('/v1/predict', PREDICT_REQUEST, origin),
    400: await listed.post('/v1/predict', '{', origin),
    401: await listed.get('/v1/species', { ...origin, 'x-api-key': 'wrong' }),
    404: await listed.get('/v1/nothing', origin),
    405: await listed.get('/v1/predict', origin),
    422: await listed.post('/v1/predict', {}, origin),
    429: await listed.get('/v1/species', { ...origin, ...spore }),
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

test('an unlisted origin is answered without leave to read, and credentials are never allowed', async () => {
  for (const service of Object.values(services)) {
    for (const origin of [LISTED, 'https://evil.example.org', 'null']) {
      const response = await service.post('/v1/predict', PREDICT_REQUEST, { origin });
      expect(response.status).toBe(200);
      expect(response.headers.has('access-control-allow-credentials')).toBe(false);
      if (service === services.listed && origin !== LISTED)
        expect(response.headers.has(ALLOW_ORIGIN)).toBe(false);
    }
  }
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

test('OPTIONS that is no preflight is 405 with Allow, or 404, with and without an origin', async () => {
  for (const service of Object.values(services)) {
    for (const headers of [{}, { origin: LISTED }]) {
      const onPath = await fetch(`${service.apiUrl}/v1/predict`, { method: 'OPTIONS', headers });
      expect(onPath.headers.get('allow')).toBe('POST');
      await expectError(onPath, 405, 'method_not_allowed');
      const elsewhere = await fetch(`${service.apiUrl}/nothing`, { method: 'OPTIONS', headers });
      await expectError(elsewhere, 404, 'not_found');
    }
  }
});

test('a preflight of a path that does not exist is 404', async () => {
  for (const service of Object.values(services)) {
    await expectError(await preflight(service, LISTED, '/v1/nothing'), 404, 'not_found');
  }
});
