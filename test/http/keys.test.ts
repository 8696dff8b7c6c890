import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { SettableClock } from '../accounts/support/settable-clock.js';
import { expectError } from '../support/error-body.js';
import { startTestService, type TestService } from '../support/service.js';

const NOON = '2026-11-20T12:00:00Z';
const clock = new SettableClock(NOON);
let service: TestService;
let id: string;
let secret: string;

beforeAll(async () => {
  service = await startTestService({}, clock);
});
beforeEach(async () => {
  clock.set(NOON);
  ({ id, secret } = await service.issueKey('spore'));
  expect((await call()).status).toBe(200); // and is known from now on
});
afterAll(() => service.stop());

const call = (key = secret) => service.get('/v1/species', { 'x-api-key': key });

test('a deactivated key is 403 within 5 seconds and 200 within 5 seconds of its activation', async () => {
  await service.administration.setState(id, 'deactivated');
  clock.advanceMs(5000);
  await expectError(await call(), 403, 'key_inactive');
  await service.administration.setState(id, 'active');
  clock.advanceMs(5000);
  expect((await call()).status).toBe(200);
});

test('a revoked key is 401 within 5 seconds', async () => {
  await service.administration.setState(id, 'revoked');
  clock.advanceMs(5000);
  await expectError(await call(), 401, 'invalid_api_key');
});

test("after a rotation the old secret is 401 within 5 seconds and the new one continues the day's count", async () => {
  const rotated = await service.administration.rotate(id, 0);
  clock.advanceMs(5000);
  await expectError(await call(), 401, 'invalid_api_key');
  expect((await call(rotated.secret)).headers.get('ratelimit')).toMatch(/r=98;/);
});

test('after a rotation with an overlap both secrets share one count until the old one expires', async () => {
  const rotated = await service.administration.rotate(id, 60_000);
  clock.advanceMs(59_999);
  expect((await call()).headers.get('ratelimit')).toMatch(/r=98;/);
  expect((await call(rotated.secret)).headers.get('ratelimit')).toMatch(/r=97;/);
  clock.advanceMs(1);
  await expectError(await call(), 401, 'invalid_api_key');
  expect((await call(rotated.secret)).status).toBe(200);
});

test('a key issued while the service runs is 200 at once', async () => {
  const issued = await service.issueKey('mycel');
  expect((await call(issued.secret)).status).toBe(200);
});
