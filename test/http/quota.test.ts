import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { SettableClock } from '../accounts/support/settable-clock.js';
import { expectError } from '../support/error-body.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

const NOON = '2026-11-20T12:00:00Z';
const clock = new SettableClock(NOON);
let service: TestService;
let keyId: string;
let spore: Record<string, string>;

beforeAll(async () => {
  service = await startTestService({}, clock);
});
beforeEach(async () => {
  clock.set(NOON);
  const { id, secret } = await service.issueKey('spore');
  keyId = id;
  spore = { 'x-api-key': secret };
});
afterAll(() => service.stop());

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
  expect(await service.administration.usage({ keyId, day: undefined })).toMatchObject([{ requests: 100 }]);
});

test('a 403 is not counted', async () => {
  expect(await left()).toBe(99);
  await service.administration.setState(keyId, 'deactivated');
  clock.advanceMs(5000);
  await expectError(await service.get('/v1/species', spore), 403, 'key_inactive');
  await service.administration.setState(keyId, 'active');
  clock.advanceMs(5000);
  expect(await left()).toBe(98);
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
});
