import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { expectError } from '../support/error-body.js';
import { eventually } from '../support/eventually.js';
import { openSocket } from '../support/raw-http.js';
import { startTestService, type TestService } from '../support/service.js';
import { PLAN_REQUEST } from './support/units.js';

const SURFACE = '/v1/surfaces/PSME?max_points=5000';
const PLAN = JSON.stringify(PLAN_REQUEST);
/** Requests of a key that are admitted with the queue limit below: one at work and three that wait. */
const ADMITTED = 4;

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
    if (response.status !== 200) await expectError(response, 503, 'overloaded');
    else expect(((await response.json()) as { points: number }).points).toBeGreaterThan(1000);
  }
});

/** Sends the head of a plan and waits for an answer to it or to be asked for the body. */
async function announcePlan(key: string): Promise<{ socket: Socket; text: string }> {
  const socket = await openSocket(service.apiUrl);
  onTestFinished(() => void socket.destroy());
  const head = [
    'POST /v1/plan HTTP/1.1',
    'Host: test',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${PLAN.length}`,
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [text] = await once(socket, 'data');
  return { socket, text: String(text) };
}

test('a plan beyond the admitted ones of its key is overloaded before its body is sent, until another one is gone; other keys have turns of their own', async () => {
  const admitted = await Promise.all(Array.from({ length: ADMITTED }, () => announcePlan(service.key)));
  for (const { text } of admitted) expect(text).toMatch(/^HTTP\/1\.1 100 /);
  expect((await announcePlan(service.key)).text).toMatch(/^HTTP\/1\.1 503 .*"code":"overloaded"/s);
  const other = { 'x-api-key': (await service.issueKey('hypha')).secret };
  expect((await service.post('/v1/plan', PLAN, other)).status).toBe(200);
  admitted[0]!.socket.destroy();
  await eventually(async () => expect((await service.post('/v1/plan', PLAN)).status).toBe(200));
});
