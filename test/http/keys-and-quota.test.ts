import { beforeEach, expect, test } from 'vitest';
import { usageResponseSchema } from '../../src/http/response/catalogue-schemas.js';
import { SettableClock } from '../accounts/support/settable-clock.js';
import { expectError } from '../support/error-body.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

const NOON = '2026-11-20T12:00:00Z';
const clock = new SettableClock(NOON);
let keyId: string;
let spore: Record<string, string>;

const service = await serviceOfFile({}, clock.nowMs);

beforeEach(async () => {
  clock.set(NOON);
  const { id, secret } = await service.issueKey('spore');
  keyId = id;
  spore = { 'x-api-key': secret };
});

/** Requests left according to the RateLimit header of another request. */
async function left(): Promise<number> {
  const response = await service.get('/v1/species', spore);
  return Number(/r=(\d+)/.exec(response.headers.get('ratelimit')!)![1]);
}

async function useUp(): Promise<void> {
  await Promise.all(Array.from({ length: 100 }, () => service.get('/v1/species', spore)));
}

test('of 1,000 simultaneous requests with a spore key exactly 100 are admitted', async () => {
  const responses = await Promise.all(
    Array.from({ length: 1000 }, (_, i) =>
      i % 2 === 0 ? service.get('/v1/species', spore) : service.post('/v1/predict', PREDICT_REQUEST, spore),
    ),
  );
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(100);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(900);
  const reported = responses.flatMap(({ status, headers }) =>
    status === 200 ? [headers.get('ratelimit')] : [],
  );
  expect(reported.toSorted()).toEqual(
    Array.from({ length: 100 }, (_, r) => `"daily";r=${r};t=43200`).toSorted(),
  );
  expect(await service.administration.usage({ keyId, day: undefined })).toMatchObject([{ requests: 100 }]);
});

test('every authenticated response of a limited tier has RateLimit and RateLimit-Policy, whatever its status', async () => {
  const answers = [
    [200, await service.post('/v1/predict', PREDICT_REQUEST, spore)],
    [200, await service.get('/v1/coverage', spore)],
    [400, await service.post('/v1/predict', '{', spore)],
    [413, await service.post('/v1/predict', ' '.repeat(2 ** 20 + 1), spore)],
    [415, await service.post('/v1/predict', 'x', { ...spore, 'content-type': 'text/plain' })],
    [422, await service.post('/v1/predict', {}, spore)],
    [422, await service.post('/v1/predict', { ...PREDICT_REQUEST, species_code: 'X' }, spore)],
    [422, await service.post('/v1/predict/batch', { requests: Array(11).fill({}) }, spore)],
  ] as const;
  answers.forEach(([status, response], i) => {
    expect(response.status).toBe(status);
    expect(response.headers.get('ratelimit-policy')).toBe('"daily";q=100;w=86400');
    expect(response.headers.get('ratelimit')).toBe(`"daily";r=${99 - i};t=43200`);
  });
});

test('the mycel tier has 10,000 requests a day', async () => {
  const { headers } = await service.get('/v1/species', {
    'x-api-key': (await service.issueKey('mycel')).secret,
  });
  expect(headers.get('ratelimit-policy')).toBe('"daily";q=10000;w=86400');
  expect(headers.get('ratelimit')).toBe('"daily";r=9999;t=43200');
});

test('the hypha tier is unlimited and has no RateLimit headers', async () => {
  for (const response of [await service.get('/v1/species'), await service.post('/v1/predict', '{')]) {
    expect(response.headers.has('ratelimit')).toBe(false);
    expect(response.headers.has('ratelimit-policy')).toBe(false);
  }
});

test('a batch of any size counts as one request', async () => {
  const requests = Array(10).fill(PREDICT_REQUEST);
  const { headers } = await service.post('/v1/predict/batch', { requests }, spore);
  expect(headers.get('ratelimit')).toBe('"daily";r=99;t=43200');
});

test('a 401, 404, 405 or 429 and GET /v1/health are not counted', async () => {
  expect(await left()).toBe(99);
  await service.get('/v1/nothing', spore);
  await service.get('/v1/predict', spore);
  await service.get('/v1/health', spore);
  await service.get('/v1/species', { 'x-api-key': `${spore['x-api-key']}0` });
  expect(await left()).toBe(98);
  await useUp();
  expect((await usage(spore)).body).toMatchObject({ requests_today: 100, remaining: 0 });
});

test.each([
  ['00:00:00.000', '86400'],
  ['12:34:56.001', '41104'],
  ['23:59:58.999', '2'],
  ['23:59:59.000', '1'],
  ['23:59:59.999', '1'],
])('a 429 at %s UTC has Retry-After: %s, the seconds to midnight', async (time, seconds) => {
  clock.set(`2026-11-20T${time}Z`);
  await useUp();
  const response = await service.get('/v1/species', spore);
  expect(response.headers.get('retry-after')).toBe(seconds);
  expect(response.headers.get('ratelimit')).toBe(`"daily";r=0;t=${seconds}`);
  const { details } = await expectError(response, 429, 'rate_limit_exceeded');
  expect(details).toMatchObject({ resets_at: '2026-11-21T00:00:00.000Z' });
});

test('the count restarts at midnight UTC to the millisecond', async () => {
  clock.set('2026-11-20T23:59:59.999Z');
  await useUp();
  await expectError(await service.get('/v1/species', spore), 429, 'rate_limit_exceeded');
  clock.set('2026-11-21T00:00:00.000Z');
  const response = await service.get('/v1/species', spore);
  expect(response.status).toBe(200);
  expect(response.headers.get('ratelimit')).toBe('"daily";r=99;t=86400');
  const { body } = await usage(spore);
  expect(body).toMatchObject({ requests_today: 1, remaining: 99, resets_at: '2026-11-22T00:00:00.000Z' });
});

async function usage(headers?: Record<string, string>) {
  const response = await service.get('/v1/usage', headers);
  expect(response.status).toBe(200);
  return { body: usageResponseSchema.parse(await response.json()), headers: response.headers };
}

test("usage reports the key's requests of the day, its limit and when it restarts, and is not counted itself", async () => {
  for (let request = 0; request < 3; request++) await service.post('/v1/predict', PREDICT_REQUEST, spore);
  for (let repeat = 0; repeat < 3; repeat++) {
    const { body, headers } = await usage(spore);
    expect(body).toEqual({
      tier: 'spore',
      requests_today: 3,
      limit: 100,
      remaining: 97,
      resets_at: '2026-11-21T00:00:00.000Z',
    });
    expect(Object.keys(body)).toEqual(['tier', 'requests_today', 'limit', 'remaining', 'resets_at']);
    expect(headers.get('ratelimit')).toBe('"daily";r=97;t=43200');
    expect(headers.get('ratelimit-policy')).toBe('"daily";q=100;w=86400');
  }
});

test('usage counts every answered request of an unlimited key, without a limit or RateLimit headers', async () => {
  const hypha = { 'x-api-key': (await service.issueKey('hypha')).secret };
  for (let count = 0; count <= 20; count++) {
    const { body, headers } = await usage(hypha);
    expect(body).toMatchObject({ tier: 'hypha', requests_today: count, limit: null, remaining: null });
    expect(headers.has('ratelimit')).toBe(false);
    await service.get('/v1/species', hypha);
  }
});

test('simultaneous callers of usage each see the count of their own key', async () => {
  const keys = await Promise.all(Array.from({ length: 8 }, () => service.issueKey('mycel')));
  await Promise.all(
    keys.flatMap(({ secret }, count) =>
      Array.from({ length: count }, () => service.get('/v1/species', { 'x-api-key': secret })),
    ),
  );
  const seen = await Promise.all(keys.map(({ secret }) => usage({ 'x-api-key': secret })));
  expect(seen.map(({ body }) => body.requests_today)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('usage needs a key', async () => {
  await expectError(await service.get('/v1/usage', { 'x-api-key': '' }), 401, 'invalid_api_key');
});

/** A request with a key, which is known from now on. */
const call = (key = spore['x-api-key']) => service.get('/v1/species', { 'x-api-key': key });

test('a key gets 403, uncounted, within 5 seconds of its deactivation, and 200 within 5 seconds of its activation', async () => {
  expect((await call()).status).toBe(200);
  await service.administration.setState(keyId, 'deactivated');
  clock.advanceMs(5000);
  await expectError(await call(), 403, 'key_inactive');
  await service.administration.setState(keyId, 'active');
  clock.advanceMs(5000);
  expect((await call()).headers.get('ratelimit')).toMatch(/r=98;/);
});
