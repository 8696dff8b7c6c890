import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { openSocket, readAll } from '../support/raw-http.js';
import { serviceOfFile } from '../support/service.js';

/** How long a body may take to arrive: a surface must be predicted within it. Most tests wait for it: they run at once. */
const TIMEOUT_MS = 8000;
/** More than the buffers of both sides hold. */
const LARGE_SURFACE = '/v1/surfaces/PSME?max_points=30000';

const LENGTH = 'Content-Length: 10';
const CHUNKED = 'Transfer-Encoding: chunked';

const service = await serviceOfFile({ REQUEST_TIMEOUT_MS: String(TIMEOUT_MS) });
const key = `X-API-Key: ${service.key}`;

const warnings: string[] = [];
process.on('warning', ({ name }) => warnings.push(name));
afterAll(() => expect(warnings).not.toContain('MaxListenersExceededWarning'));

/** Sends the head of a request on a connection that the caller would keep, and waits until its answer begins. */
async function answerTo(requestLine: string, headers: readonly string[]) {
  const socket = await openSocket(service.apiUrl);
  socket.write([requestLine, 'Host: test', ...headers, '', ''].join('\r\n'));
  await once(socket, 'readable');
  return socket;
}

/** Bodies that are never whole: how they are framed, and what is sent of them. */
const BROKEN = [
  ['does not come', LENGTH, ''],
  ['is malformed', CHUNKED, 'zz\r\n'],
] as const;

test.concurrent.each([
  [401, '/v1/predict', []],
  [404, '/v1/nowhere', []],
  [415, '/v1/predict', [key, 'Content-Type: text/plain']],
])(
  'a request answered with %i before its body arrives gets no second answer if it is late or malformed',
  async (status, path, headers) => {
    for (const [, framing, body] of BROKEN) {
      const socket = await answerTo(`POST ${path} HTTP/1.1`, [...headers, framing]);
      socket.write(body);
      expect((await readAll(socket)).statuses).toEqual([status]);
    }
  },
);

test.concurrent('a request answered before its body arrives gets no second answer if its caller closes its side', async () => {
  const socket = await answerTo('POST /v1/predict HTTP/1.1', [LENGTH]);
  socket.end('{');
  expect((await readAll(socket)).statuses).toEqual([401]);
});

test.concurrent('the request after one that was answered before its body arrived is answered on the same connection', async () => {
  const socket = await answerTo('POST /v1/predict HTTP/1.1', [LENGTH]);
  socket.end('0123456789GET /v1/health HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n');
  expect((await readAll(socket)).statuses).toEqual([401, 200]);
});

test.concurrent.each([
  [401, '/v1/predict'],
  [404, '/v1/nowhere'],
  [404, '/%ff'],
  [405, '/v1/usage'],
])(
  'an early answer of %i to a caller without a key says that the connection closes, and it closes',
  async (status, path) => {
    for (const framing of ['Content-Length: 1000000000000', CHUNKED]) {
      const { statuses, text } = await readAll(await answerTo(`POST ${path} HTTP/1.1`, [framing]));
      expect(statuses).toEqual([status]);
      expect(text.toLowerCase()).toContain('\r\nconnection: close\r\n');
    }
  },
);

test.concurrent.each(BROKEN)(
  'an answer that has begun is sent to its end while the body of its request %s',
  async (_, framing, body) => {
    const headers = [key, 'Accept: application/geo+json', framing];
    const socket = await answerTo(`GET ${LARGE_SURFACE} HTTP/1.1`, headers);
    socket.write(body);
    await delay(TIMEOUT_MS + 500); // until the body is late
    const { statuses, text } = await readAll(socket);
    expect(statuses).toEqual([200]);
    expect(text.endsWith('\r\n0\r\n\r\n')).toBe(true);
  },
);
