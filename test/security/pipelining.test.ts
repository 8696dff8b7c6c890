import { once } from 'node:events';
import { expect, test } from 'vitest';
import { readMetrics } from '../reliability/support/metrics.js';
import { answersOn, openSocket, readAll } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

const BODY = JSON.stringify(PREDICT_REQUEST);
const LENGTH = `Content-Length: ${BODY.length}`;
const CHUNKED = 'Transfer-Encoding: chunked';
/** A body in chunks of one byte. */
const TINY_CHUNKS = `${[...BODY].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`;
/** A chunk that is not the end of a body. */
const BLANK_LINES = '8\r\n\r\n\r\n\r\n\r\n\r\n';
const HEALTH = 'GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n';

/** A request of these lines that keeps its connection. */
const request = (line: string, headers: readonly string[] = [], body = '') =>
  [`${line} HTTP/1.1`, 'Host: x', ...headers, '', body].join('\r\n');

const service = await serviceOfFile();
const keyed = [`X-API-Key: ${service.key}`, 'Content-Type: application/json'];
const predict: (headers: readonly string[], body: string) => string = (headers, body) =>
  request('POST /v1/predict', [...keyed, ...headers], body);

/** How many requests of a key were counted. */
async function usedBy(key: string): Promise<number> {
  const answer = await service.get('/v1/usage', { 'x-api-key': key });
  return ((await answer.json()) as { requests_today: number }).requests_today;
}

const CLOSE = /^connection: close\r$/im;

test('a request that arrives before the response to the one before it is neither executed nor counted', async () => {
  const { secret } = await service.issueKey('mycel');
  const ownKey = [`X-API-Key: ${secret}`, 'Content-Type: application/json'];
  const single = request('POST /v1/predict', [...ownKey, LENGTH], BODY);
  const chunked = request('POST /v1/predict', [...ownKey, CHUNKED], TINY_CHUNKS);
  const sites = async () => (await readMetrics(service.opsUrl)).sum('nurselog_sites_total');
  for (const bytes of [single.repeat(2), single.repeat(1000), chunked + single, single + chunked]) {
    const [before, sitesBefore] = [await usedBy(secret), await sites()];
    const { statuses, text } = await answersOn(service.apiUrl, bytes);
    expect(statuses).toEqual([200]);
    expect(text).toMatch(CLOSE);
    expect(await usedBy(secret)).toBe(before + 1);
    expect(await sites()).toBe(sitesBefore + 1);
  }
});

test('garbage after a request does not prevent its response', async () => {
  for (const [first, status] of [
    [predict([LENGTH], BODY), 200],
    [predict([CHUNKED], TINY_CHUNKS), 200],
    [request('POST /v1/predict', [LENGTH], BODY), 401],
    [HEALTH, 200],
  ] as const) {
    for (const garbage of [
      'garbage\r\n\r\n',
      '\0',
      `BREW ${HEALTH}`,
      'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
    ]) {
      const { statuses, text } = await answersOn(service.apiUrl, first + garbage);
      expect([garbage, ...statuses]).toEqual([garbage, status]);
      if (first !== HEALTH) expect(text).toMatch(CLOSE); // health is answered before anything else is read
    }
  }
});

test('a response that has begun is sent to its end when another request arrives', async () => {
  const surface = request('GET /v1/surfaces/PSME?max_points=20000', [`X-API-Key: ${service.key}`]);
  const socket = await openSocket(service.apiUrl);
  socket.write(surface);
  await once(socket, 'readable');
  socket.write(HEALTH);
  const { statuses, text } = await readAll(socket);
  expect(statuses).toEqual([200]);
  expect(text.endsWith('\r\n0\r\n\r\n')).toBe(true);
});

test('a request for another protocol is answered as any other, and ends its connection', async () => {
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
  for (const first of [
    request('GET /v1/health', upgrade),
    predict([...upgrade, LENGTH], BODY),
    predict([...upgrade, CHUNKED], TINY_CHUNKS),
    request('GET /v1/health', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAM']),
  ]) {
    const { statuses, text } = await answersOn(service.apiUrl, first + HEALTH);
    expect(statuses).toEqual([200]);
    expect(text).toMatch(CLOSE);
  }
});

test('a line end before a request is skipped', async () => {
  const socket = await openSocket(service.apiUrl);
  for (const bytes of [`\r\n${HEALTH}`, '\r\n', HEALTH, `\r\n${HEALTH}`]) {
    socket.write(bytes);
    if (bytes !== '\r\n') expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 200 /);
  }
  socket.destroy();
});

test('only the first of several pipelined requests are answered, and only these are counted, however the bytes are divided', async () => {
  const { secret } = await service.issueKey('mycel');
  const ownKey = [`X-API-Key: ${secret}`, 'Content-Type: application/json'];
  const requests = [
    [HEALTH, 200],
    [request('POST /v1/predict', [...ownKey, LENGTH], BODY), 200],
    [request('GET /nothing'), 404],
    [request('POST /v1/predict', [...ownKey, CHUNKED], BLANK_LINES + TINY_CHUNKS), 200],
    [request('POST /v1/predict', [CHUNKED], TINY_CHUNKS), 401],
    [request('POST /v1/health', [LENGTH], BODY), 405],
    [HEALTH, 200],
  ] as const;
  const bytes = requests.map(([text]) => text).join('');
  for (const step of [1, 2, 3, 7, 64, 200, 1000]) {
    const before = await usedBy(secret);
    const socket = await openSocket(service.apiUrl);
    socket.setNoDelay();
    const received = readAll(socket);
    for (let at = 0; at < bytes.length && socket.writable; at += step) {
      socket.write(bytes.slice(at, at + step), 'latin1');
      if (at % 50 < step) await new Promise(setImmediate); // what is written in one turn may arrive as one
    }
    socket.end();
    const { statuses } = await received;
    expect(statuses.length).toBeGreaterThan(0);
    const answered = requests.slice(0, statuses.length);
    expect([step, statuses]).toEqual([step, answered.map(([, status]) => status)]);
    const counted = answered.filter(([text]) => text.includes(secret)).length;
    expect(await usedBy(secret)).toBe(before + counted);
  }
});

test('bytes after the last request of a connection do not cause a reset that loses its response', async () => {
  const requests = JSON.stringify({ requests: Array(400).fill(PREDICT_REQUEST) });
  const headers = [...keyed, `Content-Length: ${requests.length}`, 'Connection: close'];
  const last = request('POST /v1/predict/batch', headers, requests);
  for (let i = 0; i < 20; i++) {
    const socket = await openSocket(service.apiUrl);
    socket.write(last + HEALTH.repeat(20_000));
    const { statuses, text } = await readAll(socket);
    expect(statuses).toEqual([200]);
    const [head, body] = text.split('\r\n\r\n');
    expect(body).toHaveLength(Number(/content-length: (\d+)/.exec(head!)![1]));
  }
});
