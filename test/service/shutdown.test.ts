import { once } from 'node:events';
import type { Socket } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LibsqlDatabase } from '../../src/accounts/store/sqlite.js';
import { openSocket, rawRequest, readAnswer } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { ServiceProcess, temporaryFolder } from '../support/service-process.js';

const BODY = JSON.stringify(PREDICT_REQUEST);

/** A request whose headers the service has read and whose body is still to come. */
async function beginRequest(api: string, key: string): Promise<Socket> {
  const socket = await openSocket(api);
  const headers = [`X-API-Key: ${key}`, 'Content-Type: application/json', `Content-Length: ${BODY.length}`];
  socket.write(rawRequest('POST /v1/predict HTTP/1.1', [...headers, 'Expect: 100-continue']));
  await once(socket, 'readable');
  expect(String(socket.read())).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  return socket;
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends the service with exit code 0 after the requests in flight are answered',
  async (signal) => {
    const service = new ServiceProcess({ REQUEST_TIMEOUT_MS: '60000' });
    const [{ api }, key] = [await service.ready(), await service.firstKey()];
    const inFlight = await beginRequest(api, key);
    // Line ends behind the last request of a connection do not keep it open.
    const idle = await openSocket(api);
    idle.write('GET /v1/health HTTP/1.1\r\nHost: test\r\n\r\n\r\n');
    await once(idle, 'readable');
    service.signal(signal);
    await service.line(/"msg":"draining"/);
    service.signal(signal); // a terminal's comes twice where npm passes it on
    inFlight.write(BODY);
    expect(await readAnswer(inFlight)).toMatchObject({ status: 200 });
    await readAnswer(idle);
    expect(await service.exit).toEqual({ code: 0, signal: null });
    expect(service.errors).toBe('');
    expect(service.output.at(-1)).toContain('"msg":"stopped"');
  },
);

test('after SIGTERM readiness is off at once, and requests are accepted until the drain delay is over', async () => {
  const service = new ServiceProcess({ DRAIN_DELAY_MS: '5000' });
  const [{ api, ops }, key] = [await service.ready(), await service.firstKey()];
  service.signal('SIGTERM');
  await service.line(/"msg":"draining"/);

  const readiness = await fetch(`${ops}/readyz`);
  expect(readiness.status).toBe(503);
  expect(await readiness.json()).toMatchObject({ status: 'not ready', reasons: ['the service is draining'] });
  expect((await fetch(`${ops}/livez`)).status).toBe(200);
  const health = await fetch(`${api}/v1/health`);
  expect(health.status).toBe(503);
  expect(await health.json()).toMatchObject({ status: 'draining' });

  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const taken = await fetch(`${api}/v1/predict`, { method: 'POST', headers, body: BODY });
  expect(taken.status).toBe(200);
  expect(taken.headers.get('connection')).toBe('close');
  expect(await service.exit).toEqual({ code: 0, signal: null });
});

test('while the service drains, an unfinished request gets 408 after REQUEST_TIMEOUT_MS, and then it exits with 0', async () => {
  const service = new ServiceProcess({ REQUEST_TIMEOUT_MS: '4000' });
  const [{ api }, key] = [await service.ready(), await service.firstKey()];
  const [inHeaders, inBody] = [await openSocket(api), await beginRequest(api, key)];
  inHeaders.write('POST /v1/predict HTTP/1.1\r\nHost: test\r\n');
  service.signal('SIGTERM');
  for (const stuck of [inHeaders, inBody]) expect(await readAnswer(stuck)).toMatchObject({ status: 408 });
  expect(await service.exit).toEqual({ code: 0, signal: null });
});

test('an unfinished request delays the end no longer than SHUTDOWN_TIMEOUT_MS', async () => {
  const service = new ServiceProcess({ SHUTDOWN_TIMEOUT_MS: '300' });
  const [{ api }, key] = [await service.ready(), await service.firstKey()];
  const stuck = await beginRequest(api, key);
  stuck.on('error', () => {});
  expect(await service.stop()).toEqual({ code: null, signal: 'SIGKILL' });
  expect(service.output.at(-1)).toContain('still busy');
});

test('an open handle delays the end no longer than SHUTDOWN_TIMEOUT_MS', async () => {
  const leaveOpen = '--import=data:text/javascript,setInterval(()=>{},1e6)';
  const service = new ServiceProcess({ SHUTDOWN_TIMEOUT_MS: '5000', NODE_OPTIONS: leaveOpen });
  await service.ready();
  service.signal('SIGTERM');
  await service.line(/"msg":"stopped"/);
  expect(await service.exit).toEqual({ code: null, signal: 'SIGKILL' });
  expect(service.output.at(-1)).toContain('still busy');
});

test.each([
  ['what is in flight is answered', '15000', { code: 0, signal: null }],
  ['what delays it is cut off', '300', { code: null, signal: 'SIGKILL' }],
])('SIGTERM ends a service whose log has lost its reader: %s', async (_, timeoutMs, exit) => {
  const service = new ServiceProcess({ SHUTDOWN_TIMEOUT_MS: timeoutMs });
  const [{ api }, key] = [await service.ready(), await service.firstKey()];
  service.closeOutput();
  const inFlight = await beginRequest(api, key);
  inFlight.on('error', () => {});
  service.signal('SIGTERM');
  if (exit.code === 0) {
    inFlight.write(BODY);
    expect(await readAnswer(inFlight)).toMatchObject({ status: 200 });
  }
  expect(await service.exit).toEqual(exit);
});

test('request counts that the store does not take are reported at the end, with exit code 1', async () => {
  const file = path.join(temporaryFolder(), 'keys.db');
  const service = new ServiceProcess({ DATABASE_URL: `sqlite:${file}`, SHUTDOWN_TIMEOUT_MS: '60000' });
  const [{ api }, key] = [await service.ready(), await service.firstKey()];
  const other = new LibsqlDatabase(file);
  other.prepare('begin immediate').run([]); // no other connection can write from now on
  expect((await fetch(`${api}/v1/species`, { headers: { 'x-api-key': key } })).status).toBe(200);
  expect(await service.stop()).toEqual({ code: 1, signal: null });
  expect(service.output.at(-1)).toMatch(
    /"reason":"the key store is unavailable: .*"msg":"stopped, and request counts are lost"/,
  );
  expect(service.errors).toBe('');
});
