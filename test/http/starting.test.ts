import { afterAll, afterEach, expect, test } from 'vitest';
import { healthResponseSchema } from '../../src/http/response/catalogue-schemas.js';
import { freePort } from '../../testing/free-port.js';
import { expectError } from '../support/error-body.js';
import { eventually } from '../support/eventually.js';
import { type LogLine, LogLines } from '../support/log-lines.js';
import { Releases } from '../support/releases.js';
import { startTestService, type TestService } from '../support/service.js';

const releases = new Releases();
releases.put(1);
releases.replaceModels({ idleProducts: 20 }); // a slow start, so that requests arrive before its end
let started: Promise<TestService>;
afterEach(async () => {
  await (await started).stop();
});
afterAll(() => releases.remove());

const listening = ({ msg }: LogLine) => /^Server listening at (\S+)$/.exec(String(msg))?.[1];

test('a service that is starting is 503 for callers, health and readiness until every worker is ready', async () => {
  const log = new LogLines();
  started = startTestService({ ...releases.environment, WORKERS: '2' }, undefined, log);
  // The operators' address first, then the API's.
  const ops = listening(await log.find((line) => listening(line) !== undefined))!;
  const api = listening(await log.find((line) => ![undefined, ops].includes(listening(line))))!;

  const health = await fetch(`${api}/v1/health`);
  expect(health.status).toBe(503);
  expect(healthResponseSchema.parse(await health.json())).toMatchObject({
    status: 'starting',
    workers: { total: 2 },
  });
  expect(await (await fetch(`${ops}/readyz`)).json()).toEqual({
    status: 'not ready',
    reasons: ['the service is starting'],
  });
  const rejected = await fetch(`${api}/v1/species`);
  expect(rejected.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  await expectError(rejected, 503, 'unavailable');

  expect((await started).apiUrl).toBe(api);
  expect((await fetch(`${api}/v1/health`)).status).toBe(200);
});

test('a service that listens when it is ready refuses connections to the API until every worker is', async () => {
  const port = await freePort();
  const environment = { ...releases.environment, PORT: String(port), LISTEN: 'when-ready' };
  started = startTestService(environment);
  const failures = new Set<string>();
  const first = await eventually(() =>
    fetch(`http://127.0.0.1:${port}/v1/health`).catch((error) => {
      failures.add(error.cause.code);
      throw error;
    }),
  );
  expect([...failures]).toEqual(['ECONNREFUSED']);
  expect(first.status).toBe(200);
  expect((await started).apiUrl).toBe(`http://127.0.0.1:${port}`);
});
