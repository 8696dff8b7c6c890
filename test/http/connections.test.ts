import { once } from 'node:events';
import { expect, test } from 'vitest';
import { parseErrorBody } from '../support/error-body.js';
import { openSocket, type RawAnswer, rawRequest, readAnswer, sendRaw } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

const BODY = JSON.stringify(PREDICT_REQUEST);
const JSON_TYPE = 'Content-Type: application/json';
const LENGTH = `Content-Length: ${BODY.length}`;
const PREDICT = 'POST /v1/predict HTTP/1.1';

const service = await serviceOfFile();
const key = `X-API-Key: ${service.key}`;

const send = (request: string | Uint8Array) => sendRaw(service.apiUrl, request);

function expectRejection(
  { status, headers, body }: RawAnswer,
  expected: number,
  code = 'invalid_request',
): void {
  expect({ status, code: parseErrorBody(body).code }).toEqual({ status: expected, code });
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
}

test.each([
  ['garbage', 'hello\r\n\r\n'],
  ['a TLS greeting', Buffer.from('16030100c8010000c40303', 'hex')],
  ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown method', rawRequest('BREW /v1/predict HTTP/1.1', [])],
  ['a NUL in the path', rawRequest('GET /v1/\0 HTTP/1.1', [])],
  ['no path', rawRequest('GET  HTTP/1.1', [])],
  ['a header without a colon', rawRequest('GET /v1/health HTTP/1.1', ['nonsense'])],
  ['a folded header', rawRequest('GET /v1/health HTTP/1.1', ['A: b', ' c'])],
])('%s is answered with 400', async (_name, request) => {
  expectRejection(await send(request), 400);
});

test('HTTP/1.1 without Host is 400, and HTTP/1.0 needs none', async () => {
  const lines = ['Connection: close', key, JSON_TYPE, LENGTH, '', BODY].join('\r\n');
  expectRejection(await send(`${PREDICT}\r\n${lines}`), 400);
  expect((await send(`POST /v1/predict HTTP/1.0\r\n${lines}`)).status).toBe(200);
});

test('headers over 16 KiB are 431, even while the caller keeps sending', async () => {
  expectRejection(await send(rawRequest('GET /v1/health HTTP/1.1', [`A: ${'a'.repeat(20_000)}`])), 431);
  expectRejection(await send(rawRequest('GET /v1/health HTTP/1.1', [`A: ${'a'.repeat(2_000_000)}`])), 431);
});

test("an Expect other than 100-continue is 417 with the caller's request id", async () => {
  const answer = await send(
    rawRequest(PREDICT, [key, JSON_TYPE, LENGTH, 'Expect: tea', 'X-Request-Id: mine'], BODY),
  );
  expectRejection(answer, 417);
  expect(answer.headers.get('x-request-id')).toBe('mine');
});

test("CONNECT is 405 with Allow and the caller's request id", async () => {
  const answer = await send(rawRequest('CONNECT example.org:443 HTTP/1.1', ['X-Request-Id: mine']));
  expectRejection(answer, 405, 'method_not_allowed');
  expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
  expect(answer.headers.get('x-request-id')).toBe('mine');
});

test.each([
  'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  'garbage\r\n\r\n',
  `${PREDICT}\r\nHost: x\r\n`,
])('the service survives a reset after %j', async (request) => {
  const socket = await openSocket(service.apiUrl);
  socket.on('error', () => {});
  socket.write(request);
  if (!request.startsWith(PREDICT)) await once(socket, 'readable');
  socket.resetAndDestroy();
  await once(socket, 'close');
  expect((await service.get('/v1/health')).status).toBe(200);
});

test('a rejected connection that its caller keeps open is closed', async () => {
  const socket = await openSocket(service.apiUrl);
  socket.allowHalfOpen = true;
  socket.on('error', () => {});
  socket.write('CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.resume();
  await once(socket, 'end');
  // Half open: what is sent from now on is answered with a reset once the server lets go.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const trickle = setInterval(() => socket.write('x'), 50);
  await closed;
  clearInterval(trickle);
});

test('a connection closed in the middle of a body does not affect the service', async () => {
  for (let i = 0; i < 20; i++) {
    const socket = await openSocket(service.apiUrl);
    socket.write(rawRequest(PREDICT, [key, JSON_TYPE, LENGTH, 'Expect: 100-continue']));
    await once(socket, 'readable'); // its headers have been read
    socket.write(BODY.slice(0, 20));
    if (i % 2 === 0) socket.resetAndDestroy();
    else socket.destroy();
  }
  expect((await service.post('/v1/predict', PREDICT_REQUEST)).status).toBe(200);
  expect(await (await service.get('/v1/health')).json()).toMatchObject({ workers: { ready: 1, total: 1 } });
});

test.each(['hypha', 'mycel'] as const)(
  'a caller of the %s tier who closes its side after the request is answered',
  async (tier) => {
    const ownKey = `X-API-Key: ${(await service.issueKey(tier)).secret}`;
    const batch = JSON.stringify({ requests: Array(100).fill(PREDICT_REQUEST) });
    for (const [path, body] of [
      ['/v1/predict', BODY],
      ['/v1/predict/batch', batch],
    ] as const) {
      for (let i = 0; i < 10; i++) {
        const socket = await openSocket(service.apiUrl);
        const length = `Content-Length: ${body.length}`;
        socket.end(rawRequest(`POST ${path} HTTP/1.1`, [ownKey, JSON_TYPE, length], body));
        expect((await readAnswer(socket)).status).toBe(200);
      }
    }
  },
);

test('the requests of one connection are answered in order', async () => {
  const socket = await openSocket(service.apiUrl);
  for (const id of ['first', 'second', 'third']) {
    socket.write(`GET /v1/health HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n\r\n`);
    expect(String(await once(socket, 'data'))).toMatch(
      new RegExp(`^HTTP/1\\.1 200 OK\\r\\nx-request-id: ${id}\\r\\n`),
    );
  }
  socket.destroy();
});

const health = (headers: string[]) => send(rawRequest('GET /v1/health HTTP/1.1', headers));

test.each(['a', 'A-z_0.9', 'x'.repeat(128)])("the caller's own X-Request-Id %s is returned", async (id) => {
  expect((await health([`X-Request-Id: ${id}`])).headers.get('x-request-id')).toBe(id);
  const failed = await service.post('/v1/predict', '{', { 'x-request-id': id });
  expect(failed.headers.get('x-request-id')).toBe(id);
});

test.each(['', 'x'.repeat(129), 'a b', 'a/b', 'é', 'a,b', '<script>'])(
  'the invalid X-Request-Id %j is replaced by a new one',
  async (id) => {
    const [first, second] = [await health([`X-Request-Id: ${id}`]), await health([`X-Request-Id: ${id}`])];
    expect(first.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  },
);

test('two X-Request-Id headers are replaced by a new id', async () => {
  const { headers } = await health(['X-Request-Id: a', 'X-Request-Id: b']);
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('an X-API-Key sent twice is not valid, and whitespace around it is ignored', async () => {
  const species = (headers: string[]) => send(rawRequest('GET /v1/species HTTP/1.1', headers));
  expectRejection(await species([key, key]), 401, 'invalid_api_key');
  expect((await species([`x-api-key:   ${service.key}  `])).status).toBe(200);
});

test('a header after 90 others is read, and a request with more than 100 is 431', async () => {
  const answerAfter = (others: number) =>
    send(
      rawRequest('GET /v1/species HTTP/1.1', [
        ...Array<string>(others).fill('a:'),
        key,
        'X-Request-Id: last',
      ]),
    );
  const { status, headers } = await answerAfter(90);
  expect([status, headers.get('x-request-id')]).toEqual([200, 'last']);
  for (const others of [101, 3000]) expectRejection(await answerAfter(others), 431);
});
