import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { Connections } from '../../src/http/server/connections.js';
import { createServer } from '../../src/http/server/server.js';
import { createLog } from '../../src/log.js';
import { readMetrics } from '../reliability/support/metrics.js';
import { openSocket, rawRequest, readAnswer, sendRaw } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { startTestService } from '../support/service.js';
import { ServiceProcess } from '../support/service-process.js';

const LIMIT = 10;
/** More than the buffers of both sides hold. */
const LARGE = Buffer.alloc(64 * 2 ** 20);
const HEALTH = 'GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n';

async function startLimited() {
  const service = await startTestService({ CONNECTION_LIMIT: String(LIMIT) });
  onTestFinished(() => service.stop());
  const connect = async (sent = ''): Promise<Socket> => {
    const socket = await openSocket(service.apiUrl);
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    if (sent !== '') {
      socket.write(sent);
      await once(socket, 'data');
    } else {
      socket.resume();
    }
    return socket;
  };
  return { service, connect };
}

test('a connection beyond the limit replaces the oldest that never sent a request', async () => {
  const { service, connect } = await startLimited();
  const used = await connect(HEALTH);
  const idle: Socket[] = [];
  for (let i = 1; i < LIMIT; i++) idle.push(await connect());
  const firstClosed = once(idle[0], 'close');
  const extra = await connect(HEALTH);
  await firstClosed;
  expect([used, extra, ...idle.slice(1)].map(({ readableEnded }) => readableEnded)).not.toContain(true);
  used.write(HEALTH);
  expect(String(await once(used, 'data'))).toContain('200 OK');
  const metrics = await readMetrics(service.opsUrl);
  expect(metrics.value('nurselog_connections')).toBe(LIMIT);
  expect(metrics.value('nurselog_connections_closed_total')).toBe(1);
});

test('when all connections sent requests, a connection beyond the limit replaces the oldest without a request in progress', async () => {
  const { connect } = await startLimited();
  const kept: Socket[] = [];
  for (let i = 0; i < LIMIT; i++) kept.push(await connect(HEALTH));
  const firstClosed = once(kept[0], 'close');
  await connect(HEALTH);
  await firstClosed;
  expect(kept.slice(1).map(({ readableEnded }) => readableEnded)).not.toContain(true);
});

test('when all connections have a request in progress, a new one is closed and they are answered', async () => {
  const { service, connect } = await startLimited();
  const body = JSON.stringify(PREDICT_REQUEST);
  const head = rawRequest('POST /v1/predict HTTP/1.1', [
    `X-API-Key: ${service.key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue', // its response shows that the request is in progress
  ]);
  const busy: Socket[] = [];
  for (let i = 0; i < LIMIT; i++) busy.push(await connect(head));
  const extra = await openSocket(service.apiUrl);
  extra.on('error', () => {});
  extra.write(HEALTH);
  await once(extra.resume(), 'close');
  for (const socket of busy) {
    socket.write(body);
    expect(String(await once(socket, 'data'))).toContain('HTTP/1.1 200 OK');
  }
});

test('when all are busy, a new one replaces the oldest that sends a response to a caller without a key', async () => {
  const log = createLog('silent', { write() {} });
  const app = createServer(loadConfig({}), { current: 'ok' }, log, new Connections(3), '', () => {});
  onTestFinished(() => app.close());
  app.get('/keyed', ({ state }, reply) => {
    state.caller = { id: 'key', tier: 'spore', owner: '' };
    return reply.send(LARGE);
  });
  app.get('/public', (_request, reply) => reply.send(LARGE));
  const url = await app.listen();
  const sockets: Socket[] = [];
  for (const [path, length] of [['/keyed'], ['/public', 'Content-Length: 1'], ['/public'], ['/missing']]) {
    const socket = await openSocket(url);
    socket.write(rawRequest(`GET ${path} HTTP/1.1`, length ? [length] : []));
    await once(socket, 'readable');
    sockets.push(socket);
  }
  const [keyed, oldest, other, added] = await Promise.all(sockets.map(readAnswer));
  expect(added.status).toBe(404);
  expect(oldest.body.length).toBeLessThan(LARGE.length);
  expect([keyed.body.length, other.body.length]).toEqual([LARGE.length, LARGE.length]);
});

test('a thousand connections that arrive while the service is too busy to accept any are opened, and then answered', async () => {
  const service = new ServiceProcess();
  const { api } = await service.ready();
  service.signal('SIGSTOP');
  const sockets = await Promise.all(Array.from({ length: 1000 }, () => openSocket(api)));
  const answers = sockets.map((socket) => once(socket, 'data'));
  for (const socket of sockets) socket.write(HEALTH);
  service.signal('SIGCONT');
  for (const answer of answers) expect(String(await answer)).toContain('200 OK');
  for (const socket of sockets) socket.destroy();
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

test("callers cannot use up the descriptors that operators' requests and the service itself need", async () => {
  const service = new ServiceProcess({}, undefined, ['prlimit', '--nofile=500:500']);
  const { api, ops } = await service.ready();
  const idle: Socket[] = [];
  for (let i = 0; i < 600; i++) {
    const socket = await openSocket(api);
    socket.on('error', () => {});
    socket.resume();
    idle.push(socket);
  }
  expect((await sendRaw(ops, rawRequest('GET /livez HTTP/1.1', []))).status).toBe(200);
  expect((await sendRaw(ops, rawRequest('GET /readyz HTTP/1.1', []))).status).toBe(200);
  expect((await sendRaw(api, rawRequest('GET /v1/health HTTP/1.1', []))).status).toBe(200);
  const metrics = await readMetrics(ops);
  const limit = metrics.value('nurselog_connections_limit');
  expect(metrics.value('nurselog_connections')).toBeLessThanOrEqual(limit);
  expect(metrics.value('nurselog_connections_closed_total')).toBeGreaterThanOrEqual(idle.length - limit);
  for (const socket of idle) socket.destroy();
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});
