import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startTestService, type TestService } from '../support/service.js';
import { announcePlan } from './support/announce-plan.js';
import { PLAN_REQUEST } from './support/units.js';

/** All plans together may take the memory of 16 of the largest, and those of one key alone half of it. */
const ADMITTED = 8;
const LARGEST_BYTES = 8 * 1024 * 1024;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ PLAN_LIMIT_BYTES: String(LARGEST_BYTES) });
});
afterAll(() => service.stop());

test('plans beyond half of the memory for plans are overloaded before their body is sent, until others are gone; other keys are admitted', async () => {
  const announce = () => announcePlan(service, service.key, LARGEST_BYTES);
  const admitted = await Promise.all(Array.from({ length: ADMITTED }, announce));
  for (const { text } of admitted) expect(text).toMatch(/^HTTP\/1\.1 100 /);
  const { text } = await announce();
  expect(text).toMatch(/^HTTP\/1\.1 503 .*"code":"overloaded"/s);
  expect(text).toContain('Too many');
  const { secret } = await service.issueKey('hypha');
  expect((await announcePlan(service, secret, LARGEST_BYTES)).text).toMatch(/^HTTP\/1\.1 100 /);
  for (const { socket } of admitted) socket.destroy();
  await eventually(async () => expect((await service.post('/v1/plan', PLAN_REQUEST)).status).toBe(200));
});
