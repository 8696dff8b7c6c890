import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { expectError, parseErrorBody } from '../support/error-body.js';
import { IS_LONG } from '../support/length.js';
import { readAnswer, sendRaw } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile, startTestService } from '../support/service.js';
import { csvOf, postTable, readCsv, startTable, TABLE_PATH } from './support/tables.js';

const LIMIT_BYTES = 2_000_000;
const TIMEOUT_MS = 2000;
/** The bytes that must arrive in half of the timeout. */
const MIN_BYTES = 16 * 1024;

const service = await serviceOfFile({
  REQUEST_TIMEOUT_MS: String(TIMEOUT_MS),
  TABLE_LIMIT_BYTES: String(LIMIT_BYTES),
});

const tableOf = (rows: number) => csvOf(Array(rows).fill(PREDICT_REQUEST));

const startUpload = (bodyBytes: number, headers: readonly string[] = [], query = '') =>
  startTable(service, [`Content-Length: ${bodyBytes}`, ...headers], query);

test('an upload that keeps arriving is accepted, however long it takes', async () => {
  const csv = tableOf(12_000);
  const socket = await startUpload(csv.length, ['Connection: close']);
  const partBytes = Math.ceil(csv.length / 16);
  expect(partBytes).toBeGreaterThan(MIN_BYTES); // four parts in each half of the timeout
  for (let at = 0; at < csv.length; at += partBytes) {
    socket.write(csv.slice(at, at + partBytes));
    await delay(TIMEOUT_MS / 8);
  }
  const { status, body } = await readAnswer(socket);
  expect(status).toBe(200);
  expect(body.split('\n')).toHaveLength(12_002);
});

test.each([
  ['stops', 0],
  ['moves too slowly', 500],
])('an upload that %s is 408 invalid_request', async (_, bytes) => {
  const socket = await startUpload(1_000_000);
  socket.write('latitude,longitude,species_code,planting_method\n');
  const trickle = setInterval(() => socket.write('x'.repeat(bytes)), TIMEOUT_MS / 20);
  const answer = await readAnswer(socket);
  clearInterval(trickle);
  expect(answer.status).toBe(408);
  expect(answer.headers.get('connection')).toBe('close');
  const { code, message } = parseErrorBody(answer.body);
  expect({ code, message }).toEqual({
    code: 'invalid_request',
    message: 'The body arrived too slowly: send at least 16 KiB a second, averaged over 1 s.',
  });
});

test('a table in gzip is answered like the same table without it, by any name of the coding', async () => {
  const csv = tableOf(300);
  const plain = await (await postTable(service, csv)).text();
  for (const coding of ['gzip', 'GZIP', 'x-gzip']) {
    const response = await postTable(service, gzipSync(csv), '', { 'content-encoding': coding });
    expect(await response.text()).toBe(plain);
  }
});

test('a body that decompresses to more than the limit is payload_too_large and is decompressed no further', async () => {
  const bomb = gzipSync(Buffer.alloc(150_000_000, ' '), { level: 9 });
  expect(bomb.length).toBeLessThan(LIMIT_BYTES / 2);
  const before = process.memoryUsage().external;
  const response = await postTable(service, bomb, '', { 'content-encoding': 'gzip' });
  const { details } = await expectError(response, 413, 'payload_too_large');
  expect(details).toEqual({ limit_bytes: LIMIT_BYTES });
  expect(process.memoryUsage().external - before).toBeLessThan(100_000_000);
});

// On a very busy machine even a refusal takes longer than this timeout, and the connection is closed without one.
test.runIf(IS_LONG)('a table gets a response however long its check takes', async () => {
  const impatient = await startTestService({ REQUEST_TIMEOUT_MS: '300' });
  onTestFinished(() => impatient.stop());
  const tables = Array.from({ length: 4 }, () => postTable(impatient, tableOf(200_000)));
  for (const response of await Promise.all(tables)) {
    expect([200, 408, 503]).toContain(response.status); // errors where this machine is too busy for so short a timeout
    await response.body?.cancel();
  }
});

test.each([
  ['nothing', Buffer.alloc(0), {}],
  ['a gzip of nothing', gzipSync(''), { 'content-encoding': 'gzip' }],
])('%s is no table, however often it is sent', async (_, body, headers) => {
  for (let times = 0; times < 3; times++)
    await expectError(
      await postTable(service, body, '', headers as Record<string, string>),
      422,
      'invalid_request',
    );
});

test('a body declared as gzip that is not gzip, or is truncated, is invalid_request', async () => {
  const csv = tableOf(300);
  const damaged = gzipSync(csv);
  damaged.fill(0, 40, 60);
  for (const body of [csv, gzipSync(csv).subarray(0, -20), damaged]) {
    const response = await postTable(service, body, '', { 'content-encoding': 'gzip' });
    const { message } = await expectError(response, 422, 'invalid_request');
    expect(message).toContain('gzip');
  }
});

/** Sends a body in gzip, each part as a chunk of its own, which is how the service then reads it. */
async function postGzipParts(parts: readonly Buffer[]) {
  const headers = ['Connection: close', 'Content-Encoding: gzip', 'Transfer-Encoding: chunked'];
  const socket = await startTable(service, headers);
  for (const part of parts) {
    socket.write(`${part.length.toString(16)}\r\n`);
    socket.write(part);
    socket.write('\r\n');
  }
  socket.write('0\r\n\r\n');
  return readAnswer(socket);
}

const [HEADER = '', ROW = ''] = tableOf(1).split('\n');
const FIRST_MEMBER = gzipSync(`${HEADER}\n${ROW}\n`);
const SECOND_MEMBER = gzipSync(`${ROW}\n`);
const ZERO = Buffer.alloc(1);

/** The same bytes as one part, cut at each of these places, and byte by byte. */
function partings(bytes: Buffer, places: readonly number[]): Buffer[][] {
  const cut = places.map((at) => [bytes.subarray(0, at), bytes.subarray(at)]);
  return [[bytes], ...cut, Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))];
}

test.each([
  ['a second member', SECOND_MEMBER],
  ['an empty member', gzipSync('')],
  ['text', Buffer.from('garbage')],
  ['more zeros and text', Buffer.from('\0garbage')],
])(
  'a gzip body with a zero and then %s after its end is refused, however its bytes are split',
  async (_, rest) => {
    const body = Buffer.concat([FIRST_MEMBER, ZERO, rest]);
    const end = FIRST_MEMBER.length;
    for (const parts of partings(body, [end, end + 1, end + 2, body.length - 1])) {
      const answer = await postGzipParts(parts);
      expect(answer.status).toBe(422);
      expect(parseErrorBody(answer.body).message).toContain('not gzip');
    }
  },
);

test('several gzip members, with zeros after the last, are one table, however its bytes are split', async () => {
  const body = Buffer.concat([FIRST_MEMBER, SECOND_MEMBER, Buffer.alloc(100)]);
  const [first, second] = [FIRST_MEMBER.length, FIRST_MEMBER.length + SECOND_MEMBER.length];
  for (const parts of partings(body, [first, first + 1, second, second + 1, body.length - 1])) {
    const answer = await postGzipParts(parts);
    expect(answer.status).toBe(200);
    expect(readCsv(answer.body)).toHaveLength(2);
  }
});

test('a caller who sends the whole table before reading anything gets the whole answer', async () => {
  const csv = tableOf(20_000);
  const socket = await startUpload(csv.length, ['Connection: close']);
  socket.pause();
  await new Promise((resolve) => socket.write(csv, resolve));
  await delay(300); // the answer has begun by then, and waits
  const { status, body } = await readAnswer(socket);
  expect(status).toBe(200);
  const rows = readCsv(body);
  expect(rows).toHaveLength(20_000);
  expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(1);
});

test('a caller who closes its side after the whole table gets an error that says to keep it open', async () => {
  const csv = tableOf(5000);
  const socket = await startUpload(csv.length);
  socket.end(csv);
  const { status, headers, body } = await readAnswer(socket);
  const { code, message } = parseErrorBody(body);
  expect({ status, code }).toEqual({ status: 400, code: 'invalid_request' });
  expect(headers.has('retry-after')).toBe(false);
  expect(message).toContain('keep it open for sending until the answer has arrived');
});

test('a caller who waits for 100 Continue is asked for the body, and may use the connection again', async () => {
  const csv = tableOf(10);
  const socket = await startUpload(csv.length, ['Expect: 100-continue']);
  for (let i = 0; i < 2; i++) {
    expect(String(await once(socket, 'data'))).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    let text = '';
    socket.write(csv);
    while (!text.endsWith('\r\n0\r\n\r\n')) text += String(await once(socket, 'data'));
    expect(text).toContain('HTTP/1.1 200 OK');
    const head = `POST ${TABLE_PATH} HTTP/1.1\r\nHost: test\r\nX-API-Key: ${service.key}\r\nContent-Type: text/csv`;
    socket.write(`${head}\r\nContent-Length: ${csv.length}\r\nExpect: 100-continue\r\n\r\n`);
  }
  socket.destroy();
});

test.each([
  [401, ['X-API-Key: nurse_live_x'], '', 10],
  [406, ['Accept: text/html'], '', 10],
  [413, [], '', LIMIT_BYTES + 1],
  [415, ['Content-Encoding: br'], '', 10],
  [422, [], '?horizons=2', 10],
])(
  'a caller who waits for 100 Continue is not asked for a body that is refused with %d, and the connection ends',
  async (status, headers, query, bodyBytes) => {
    const socket = await startUpload(bodyBytes, [...headers, 'Expect: 100-continue'], query);
    const answer = await readAnswer(socket);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('connection')).toBe('close');
  },
);

test.each([
  ['A table', `POST ${TABLE_PATH}`, 'Content-Type: text/csv\r\nContent-Length: 1\r\n\r\nx'],
  ['A surface', 'GET /v1/surfaces/PSME', '\r\n'],
])('%s in HTTP/1.0 is refused, because a truncated answer would look whole', async (what, target, rest) => {
  const request = `${target} HTTP/1.0\r\nX-API-Key: ${service.key}\r\n${rest}`;
  const { status, body } = await sendRaw(service.apiUrl, request);
  const { code, message } = parseErrorBody(body);
  expect({ status, code }).toEqual({ status: 400, code: 'invalid_request' });
  expect(message).toMatch(`${what} needs HTTP/1.1`);
});
