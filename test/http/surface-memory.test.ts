import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { openSocket, rawRequest } from '../support/raw-http.js';
import { startTestService, type TestService } from '../support/service.js';

/** Of the whole grid: some 7 MB each, so that fewer of them than these fit into 128 MiB. */
const WHOLE_GRID = '/v1/surfaces/PSME?max_points=500000';
const CALLERS = 30;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ REQUEST_TIMEOUT_MS: '120000', QUEUE_LIMIT_SITES: '1000000' });
});
afterAll(() => service.stop());

test('surfaces beyond the memory for all are overloaded at once, until others have ended', async () => {
  const sockets: Socket[] = [];
  const refused: string[] = [];
  for (let caller = 0; caller < CALLERS && refused.length === 0; caller++) {
    const socket = await openSocket(service.apiUrl);
    socket.on('data', (chunk) => refused.push(String(chunk)));
    socket.write(rawRequest(`GET ${WHOLE_GRID} HTTP/1.1`, [`X-API-Key: ${service.key}`]));
    sockets.push(socket);
  }
  while (refused.length === 0) await Promise.race(sockets.map((socket) => once(socket, 'data')));
  expect(refused[0]).toMatch(/^HTTP\/1\.1 503 /);
  expect(refused[0]).toContain('Too many');
  for (const socket of sockets) socket.destroy();
  await eventually(async () => {
    if ((await service.get('/v1/surfaces/PSME?max_points=20000')).status !== 200)
      throw new Error('still refused');
  });
});
