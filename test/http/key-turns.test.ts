import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectError } from '../support/error-body.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type TestService } from '../support/service.js';
import { announcePlan } from './support/announce-plan.js';
import { PLAN_REQUEST } from './support/units.js';

const SURFACE = '/v1/surfaces/PSME?max_points=5000';
const PLAN = JSON.stringify(PLAN_REQUEST);
/** Requests of a key that are admitted with the queue limit below: one at work and three that wait. */
const ADMITTED = 4;

const FULL = 'Too many plans and surfaces of this key are open and nothing was started: try again shortly.';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    WORKERS: '1',
    CACHE_BYTES: '0',
    QUEUE_LIMIT_SITES: '2000',
    REQUEST_TIMEOUT_MS: '60000',
  });
});
afterAll(() => service.stop());

test('many surfaces of a key at a time do not reject the rows of one another: those that are admitted are answered', async () => {
  const responses = await Promise.all(Array.from({ length: 5 * ADMITTED }, () => service.get(SURFACE)));
  const answered = responses.filter(({ status }) => status === 200);
  expect(answered.length).toBeGreaterThanOrEqual(ADMITTED);
  for (const response of responses) {
    if (response.status !== 200) expect((await expectError(response, 503, 'overloaded')).message).toBe(FULL);
    else expect(((await response.json()) as { points: number }).points).toBeGreaterThan(1000);
  }
});

test('a plan beyond the admitted ones of its key is overloaded before its body is sent, until another one is gone; other keys have turns of their own', async () => {
  const announce = () => announcePlan(service, service.key, PLAN.length);
  const admitted = await Promise.all(Array.from({ length: ADMITTED }, announce));
  for (const { text } of admitted) expect(text).toMatch(/^HTTP\/1\.1 100 /);
  const { text } = await announce();
  expect(text).toMatch(/^HTTP\/1\.1 503 .*"code":"overloaded"/s);
  expect(text).toContain(FULL);
  const other = { 'x-api-key': (await service.issueKey('hypha')).secret };
  expect((await service.post('/v1/plan', PLAN, other)).status).toBe(200);
  admitted[0]!.socket.destroy();
  await eventually(async () => expect((await service.post('/v1/plan', PLAN)).status).toBe(200));
});
