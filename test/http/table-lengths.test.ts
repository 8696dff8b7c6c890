import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readMetrics } from '../reliability/support/metrics.js';
import { parseErrorBody } from '../support/error-body.js';
import { eventually } from '../support/eventually.js';
import { LogLines } from '../support/log-lines.js';
import { readAll, readAnswer } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';
import { csvOf, postTable, startTable } from './support/tables.js';

const LIMIT_BYTES = 400_000;

const log = new LogLines();

const environment = {
  REQUEST_TIMEOUT_MS: '60000', // no upload is too slow
  TABLE_LIMIT_BYTES: String(LIMIT_BYTES),
  TABLE_MEMORY_BYTES: String(LIMIT_BYTES), // a second table is refused while the first one is open
};
const service = await serviceOfFile(environment, undefined, log);

const CSV = csvOf(Array(50).fill(PREDICT_REQUEST));

/** Sends the head of a table with these headers, and some bytes. */
async function send(headers: readonly string[], body: string | Uint8Array, key = service.key) {
  const socket = await startTable({ apiUrl: service.apiUrl, key }, headers);
  socket.write(body);
  return socket;
}

/** Waits until the memory of the table is released: another one of the largest size is accepted. */
const expectNothingLeft = () =>
  eventually(async () => {
    expect((await readMetrics(service.opsUrl)).value('nurselog_tables_open')).toBe(0);
    const response = await postTable(service, CSV.padEnd(LIMIT_BYTES, '\n'));
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });

test('bytes beyond the Content-Length are read neither as part of the table nor as a request', async () => {
  const length = CSV.indexOf('\n', 200) + 1;
  const smuggled = `GET /v1/species HTTP/1.1\r\nHost: test\r\nX-API-Key: ${service.key}\r\n\r\n`;
  const socket = await send([`Content-Length: ${length}`], CSV + smuggled);
  const { statuses, text } = await readAll(socket);
  expect(statuses).toEqual([200]); // and the connection ends: the request after it is pipelined
  expect(text.match(/PSME,manual,/g)).toHaveLength(CSV.slice(0, length).split('\n').length - 2);
  await expectNothingLeft();
});

test('TABLE_LIMIT_BYTES below BODY_LIMIT_BYTES limits the tables of every tier', async () => {
  const { secret } = await service.issueKey('mycel');
  const response = await postTable(service, ' '.repeat(LIMIT_BYTES + 1), '', { 'x-api-key': secret });
  expect(response.status).toBe(413);
});

test.each([
  ['shorter than its Content-Length', [`Content-Length: ${CSV.length + 1}`], CSV],
  ['without its last chunk', ['Transfer-Encoding: chunked'], `${CSV.length.toString(16)}\r\n${CSV}\r\n`],
  ['that ends within a chunk', ['Transfer-Encoding: chunked'], `${(CSV.length + 1).toString(16)}\r\n${CSV}`],
  ['of which nothing comes', [`Content-Length: ${LIMIT_BYTES}`], ''],
])('a body %s is no table when its caller closes its side', async (_, headers, body) => {
  const before = (await readMetrics(service.opsUrl)).sum('nurselog_sites_total');
  const socket = await send(headers, body);
  socket.end();
  const { statuses } = await readAll(socket);
  expect(statuses).toEqual([400]);
  expect((await readMetrics(service.opsUrl)).sum('nurselog_sites_total')).toBe(before);
  await expectNothingLeft();
});

test.each<[string, (socket: Socket) => void]>([
  ['resets the connection', (socket) => socket.resetAndDestroy()],
  ['closes the connection', (socket) => socket.destroy()],
  ['closes the sending side', (socket) => socket.end()],
  ['sends a chunk size that is none', (socket) => socket.write('zz\r\n')],
])(
  'a caller who %s in an upload is no failure of the service, and the request counts',
  async (how, breakOff) => {
    const { secret } = await service.issueKey('spore');
    const id = `break-off-${how.replaceAll(' ', '-')}`;
    const chunk = `${CSV.length.toString(16)}\r\n${CSV}\r\n`;
    const socket = await send(
      ['Transfer-Encoding: chunked', 'Expect: 100-continue', `X-Request-Id: ${id}`],
      '',
      secret,
    );
    await once(socket, 'data'); // the service reads the body
    socket.write(chunk);
    breakOff(socket);
    await log.find((line) => line.request_id === id && line.msg === 'request');
    expect(log.all.filter((line) => line.request_id === id && Number(line.level) > 30)).toEqual([]);
    const usage = await service.get('/v1/usage', { 'x-api-key': secret });
    expect(await usage.json()).toMatchObject({ requests_today: 1 });
    await expectNothingLeft();
  },
);

/** An empty gzip member, which may be repeated, and an empty block, which may be repeated within a member. */
const EMPTY_MEMBER = gzipSync('');
const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff]);
const GZIP_HEAD = EMPTY_MEMBER.subarray(0, 10);

test.each([
  [
    'chunks',
    [],
    (sent: number) => (sent === 0 ? Buffer.from(CSV) : Buffer.from('44,-122,PSME,manual\n'.repeat(200))),
  ],
  ['gzip members of nothing', ['Content-Encoding: gzip'], () => Buffer.concat(Array(200).fill(EMPTY_MEMBER))],
  [
    'gzip blocks of nothing',
    ['Content-Encoding: gzip'],
    (sent: number) => Buffer.concat([sent === 0 ? GZIP_HEAD : EMPTY_BLOCK, ...Array(800).fill(EMPTY_BLOCK)]),
  ],
])('a caller who sends %s for ever is payload_too_large at the limit', async (_, headers, next) => {
  const socket = await send(['Transfer-Encoding: chunked', ...headers], '');
  let sent = 0;
  const trickle = setInterval(() => {
    const bytes = next(sent);
    sent += bytes.length;
    socket.write(`${bytes.length.toString(16)}\r\n`);
    socket.write(bytes);
    socket.write('\r\n');
  }, 2);
  socket.once('data', () => clearInterval(trickle)); // the service closes the connection soon
  const { status, body } = await readAnswer(socket).finally(() => clearInterval(trickle));
  expect({ status, ...parseErrorBody(body) }).toMatchObject({ status: 413, code: 'payload_too_large' });
  expect(sent).toBeGreaterThan(LIMIT_BYTES);
  await expectNothingLeft();
});
