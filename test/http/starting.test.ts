import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../testing/free-port.js';
import { type LogLine, LogLines } from '../support/log-lines.js';
import { Releases } from '../support/releases.js';
import { startTestService, type TestService } from '../support/service.js';

const releases = new Releases();
let started: Promise<TestService>;
afterAll(async () => {
  await (await started).stop();
  releases.remove();
});

test('a service that is starting is not ready and refuses connections to the API until every worker is ready', async () => {
  releases.put(1);
  releases.slowDown(20); // or it might have started before it is asked
  const log = new LogLines();
  const port = await freePort();
  started = startTestService({ ...releases.environment, PORT: String(port) }, undefined, log);
  const listening = ({ msg }: LogLine) => /^Server listening at (\S+)$/.exec(String(msg))?.[1];
  const ops = listening(await log.find((line) => listening(line) !== undefined))!;

  expect(await (await fetch(`${ops}/readyz`)).json()).toEqual({
    status: 'not ready',
    reasons: ['the service is starting'],
  });
  const refused = await fetch(`http://127.0.0.1:${port}/v1/health`).catch((error: Error) => error.cause);
  expect(refused).toMatchObject({ code: 'ECONNREFUSED' });

  const { apiUrl } = await started;
  expect(apiUrl).toBe(`http://127.0.0.1:${port}`);
  expect((await fetch(`${apiUrl}/v1/health`)).status).toBe(200);
});
