import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { usageResponseSchema } from '../../src/http/response/catalogue-schemas.js';
import { SettableClock } from '../accounts/support/settable-clock.js';
import { expectError } from '../support/error-body.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

const NOON = '2026-11-20T12:00:00Z';
const clock = new SettableClock(NOON);
let service: TestService;
let spore: Record<string, string>;

beforeAll(async () => {
  service = await startTestService({}, clock);
});
beforeEach(async () => {
  clock.set(NOON);
  spore = { 'x-api-key': (await service.issueKey('spore')).secret };
});
afterAll(() => service.stop());

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

test('usage answers a key that has no request left', async () => {
  await Promise.all(Array.from({ length: 105 }, () => service.get('/v1/species', spore)));
  await expectError(await service.get('/v1/species', spore), 429, 'rate_limit_exceeded');
  expect((await usage(spore)).body).toMatchObject({ requests_today: 100, remaining: 0 });
});

test('an unlimited key sees every request that it was answered for, without limit or headers', async () => {
  expect((await usage()).body).toMatchObject({
    tier: 'hypha',
    requests_today: 0,
    limit: null,
    remaining: null,
  });
  for (let count = 1; count <= 20; count++) {
    await service.get('/v1/species');
    const { body, headers } = await usage();
    expect(body.requests_today).toBe(count);
    expect(headers.has('ratelimit')).toBe(false);
  }
});

test('many callers of usage at once each see the count of their own key', async () => {
  const keys = await Promise.all(Array.from({ length: 8 }, () => service.issueKey('mycel')));
  await Promise.all(
    keys.flatMap(({ secret }, count) =>
      Array.from({ length: count }, () => service.get('/v1/species', { 'x-api-key': secret })),
    ),
  );
  const seen = await Promise.all(keys.map(({ secret }) => usage({ 'x-api-key': secret })));
  expect(seen.map(({ body }) => body.requests_today)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('the count restarts at midnight UTC', async () => {
  await service.get('/v1/species', spore);
  clock.set('2026-11-21T00:00:00Z');
  const { body, headers } = await usage(spore);
  expect(body).toMatchObject({ requests_today: 0, remaining: 100, resets_at: '2026-11-22T00:00:00.000Z' });
  expect(headers.get('ratelimit')).toBe('"daily";r=100;t=86400');
});

test('usage needs a key', async () => {
  await expectError(await service.get('/v1/usage', { 'x-api-key': '' }), 401, 'invalid_api_key');
});
