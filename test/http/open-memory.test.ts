import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { expectError } from '../support/error-body.js';
import { eventually } from '../support/eventually.js';
import { openSocket, rawRequest } from '../support/raw-http.js';
import { FOREST_SITE, PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';
import { csvOf, postTable, TABLE_PATH } from './support/tables.js';
import { collection, FOREST_RING, PLAN_REQUEST, unit } from './support/units.js';

const TABLE_BYTES = 2_000_000;
/** The memory that a table of that size takes while it is open. */
const OPEN_BYTES = TABLE_BYTES + 5 * 2 ** 20;

/** All plans together may take the memory of 16 of the largest, and those of one key alone half of it. */
const ADMITTED_PLANS = 8;

/** About 7 MB, so that fewer than `SURFACES` of them fit into 128 MiB. */
const WHOLE_GRID = '/v1/surfaces/PSME?max_points=500000';
const SURFACES = 30;

const service = await serviceOfFile({
  REQUEST_TIMEOUT_MS: '120000', // uploads that wait are not too slow meanwhile
  QUEUE_LIMIT_SITES: '1000000',
  TABLE_LIMIT_BYTES: String(TABLE_BYTES),
  TABLE_MEMORY_BYTES: String(2 * OPEN_BYTES + 20_000), // and one of a row
});

const newKey = async () => (await service.issueKey('hypha')).secret;
const tableOf = (rows: number) => csvOf(Array(rows).fill(PREDICT_REQUEST));
const postSmall = (rows: number, key: string) => postTable(service, tableOf(rows), '', { 'x-api-key': key });

async function send(line: string, headers: readonly string[]) {
  const socket = await openSocket(service.apiUrl);
  onTestFinished(() => void socket.destroy());
  socket.write(rawRequest(`${line} HTTP/1.1`, headers));
  return socket;
}

/** Sends the head of a request and waits for an answer or 100 Continue. */
async function announce(path: string, type: string, key: string, bytes: number, coding = 'identity') {
  const headers = [`X-API-Key: ${key}`, `Content-Type: ${type}`, `Content-Length: ${bytes}`];
  headers.push(`Content-Encoding: ${coding}`);
  const socket = await send(`POST ${path}`, [...headers, 'Expect: 100-continue']);
  return { socket, text: String((await once(socket, 'data'))[0]) };
}

const CONTINUE = /^HTTP\/1\.1 100 /;
const OVERLOADED = /^HTTP\/1\.1 503 .*"code":"overloaded","message":"Too many/s;

test('a table is overloaded before its body if its key would exceed half of the memory for tables, or all keys all of it', async () => {
  const [one, other, third] = [await newKey(), await newKey(), await newKey()];
  const announceLarge = (key: string) => announce(TABLE_PATH, 'text/csv', key, TABLE_BYTES);
  const large = await announceLarge(one);
  expect(large.text).toMatch(CONTINUE);
  expect((await announceLarge(one)).text).toMatch(OVERLOADED);
  await expectError(await postSmall(100, one), 503, 'overloaded');
  expect((await announceLarge(other)).text).toMatch(CONTINUE);
  expect((await postSmall(1, third)).status).toBe(200);
  const refused = await postSmall(100, third);
  await expectError(refused, 503, 'overloaded');
  expect(refused.headers.get('retry-after')).toBe('1');
  large.socket.destroy();
  await eventually(async () => expect((await postSmall(100, third)).status).toBe(200));
});

test('a table in gzip takes memory for the largest body until its own has arrived, while its answer is not read', async () => {
  const key = await newKey();
  const body = gzipSync(tableOf(20_000));
  const path = `${TABLE_PATH}?include=intervals`;
  const { socket } = await announce(path, 'text/csv', key, body.length, 'gzip');
  await expectError(await postSmall(100, key), 503, 'overloaded');
  socket.pause().write(body);
  await once(socket, 'readable');
  expect((await postSmall(100, key)).status).toBe(200);
  expect(socket.bytesRead).toBeLessThan(1_000_000); // of some 12 MB
});

const EXPLAINED = { include: ['explanation', 'intervals'] };
const UNITS = collection(...Array.from({ length: 20 }, (_, id) => unit(id, FOREST_RING)));

test.each([
  ['/v1/predict/batch', { requests: Array(50).fill({ ...PREDICT_REQUEST, ...EXPLAINED }) }],
  ['/v1/predict/rank', { ...FOREST_SITE, native_only: false }],
  ['/v1/plan', { units: UNITS, native_only: false, target_per_ha: 400 }],
])('a large answer of %s takes memory for tables until it is sent', async (path, request) => {
  const [one, other] = [await newKey(), await newKey()];
  const { socket } = await announce(TABLE_PATH, 'text/csv', one, TABLE_BYTES);
  await expectError(await service.post(path, request, { 'x-api-key': one }), 503, 'overloaded');
  expect((await service.post('/v1/predict', PREDICT_REQUEST, { 'x-api-key': one })).status).toBe(200);
  for (let times = 0; times < 30; times++)
    expect((await service.post(path, request, { 'x-api-key': other })).status).toBe(200);
  socket.destroy();
});

test('a plan is overloaded before its body if its key would exceed half of the memory for plans; other keys are admitted', async () => {
  const announceLargest = (key: string) =>
    announce('/v1/plan', 'application/json', key, service.config.planLimitBytes);
  const admitted = await Promise.all(
    Array.from({ length: ADMITTED_PLANS }, () => announceLargest(service.key)),
  );
  for (const { text } of admitted) expect(text).toMatch(CONTINUE);
  expect((await announceLargest(service.key)).text).toMatch(OVERLOADED);
  expect((await announceLargest(await newKey())).text).toMatch(CONTINUE);
  for (const { socket } of admitted) socket.destroy();
  await eventually(async () => expect((await service.post('/v1/plan', PLAN_REQUEST)).status).toBe(200));
});

test('a surface beyond the memory for surfaces is overloaded at once, until others have ended', async () => {
  const refused: string[] = [];
  const sockets = [];
  for (let caller = 0; caller < SURFACES && refused.length === 0; caller++) {
    const socket = await send(`GET ${WHOLE_GRID}`, [`X-API-Key: ${service.key}`]);
    socket.on('data', (chunk) => refused.push(String(chunk)));
    sockets.push(socket);
  }
  while (refused.length === 0) await Promise.race(sockets.map((socket) => once(socket, 'data')));
  expect(refused[0]).toMatch(OVERLOADED);
  for (const socket of sockets) socket.destroy();
  await eventually(async () => {
    const { status } = await service.get('/v1/surfaces/PSME?max_points=20000');
    expect(status).toBe(200);
  });
});
