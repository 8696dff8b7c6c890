import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { expectError, parseErrorBody } from '../support/error-body.js';
import { forAllAsync } from '../support/for-all.js';
import { openSocket, rawRequest, sendRaw } from '../support/raw-http.js';
import { PREDICT_REQUEST, scatteredSites } from '../support/requests.js';
import { sharedService } from '../support/service.js';

const LIMIT_BYTES = 1024 * 1024;

/** A valid body of `bytes` bytes. */
const bodyOf = (bytes: number) => JSON.stringify(PREDICT_REQUEST).padEnd(bytes);

const BODY = Buffer.from(JSON.stringify(PREDICT_REQUEST));
const BOMB = Buffer.alloc(20 * 2 ** 20, ' ');

const service = await sharedService();

/** Sends a body of ASCII without a Content-Length, as one chunk or as chunks of these sizes, again and again. */
function sendChunked(body: string, sizes = [body.length], path = '/v1/predict') {
  const headers = [
    `X-API-Key: ${service.key}`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  ];
  let chunks = '';
  for (let at = 0, i = 0; at < body.length; i++) {
    const chunk = body.slice(at, at + sizes[i % sizes.length]);
    chunks += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
    at += chunk.length;
  }
  return sendRaw(service.apiUrl, rawRequest(`POST ${path} HTTP/1.1`, headers, `${chunks}0\r\n\r\n`));
}

test('a body of exactly 1 MiB is accepted, with Content-Length and chunked', async () => {
  expect((await service.post('/v1/predict', bodyOf(LIMIT_BYTES))).status).toBe(200);
  expect((await sendChunked(bodyOf(LIMIT_BYTES))).status).toBe(200);
});

test('a body of 1 MiB and 1 byte is payload_too_large 413, with Content-Length and chunked', async () => {
  await expectError(await service.post('/v1/predict', bodyOf(LIMIT_BYTES + 1)), 413, 'payload_too_large');
  const { status, body } = await sendChunked(bodyOf(LIMIT_BYTES + 1));
  expect([status, parseErrorBody(body).code]).toEqual([413, 'payload_too_large']);
});

test('a caller who sends all of a body that is far too large before reading gets payload_too_large', async () => {
  const socket = connect(Number(new URL(service.apiUrl).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const bytes = 30 * 2 ** 20;
  const head = `POST /v1/plan HTTP/1.1\r\nHost: x\r\nX-API-Key: ${service.key}\r\nContent-Type: application/json\r\n`;
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(`${head}Content-Length: ${bytes}\r\n\r\n`);
    socket.write(Buffer.alloc(bytes, ' '), () => resolve());
  });
  const [response] = await once(socket.setEncoding('utf8'), 'data');
  expect(response).toMatch(/^HTTP\/1\.1 413 /);
});

test.each([
  ['is refused', 415, 'Content-Length: 1000000000000', ''],
  ['has a deactivated key', 403, 'Transfer-Encoding: chunked', 'fffffffff\r\n'],
])('of a body that %s at most 128 MiB are received', async (_, status, framing, size) => {
  const { id, secret } = await service.issueKey('spore');
  if (status === 403) await service.administration.setState(id, 'deactivated');
  const socket = await openSocket(service.apiUrl);
  onTestFinished(() => void socket.destroy());
  const closed = once(
    socket.on('error', () => {}),
    'close',
  ).catch(() => {});
  socket.write(`POST /v1/plan HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\n${framing}\r\n\r\n${size}`);
  expect(String(await once(socket, 'data'))).toContain(`HTTP/1.1 ${status} `);
  const isOpen = () => !socket.destroyed && socket.bytesWritten < 256 * 2 ** 20;
  while (isOpen()) await Promise.race([closed, new Promise((sent) => socket.write(BOMB, sent))]);
  expect(socket.bytesWritten / 2 ** 20).toBeGreaterThan(128);
  expect(socket.destroyed).toBe(true);
});

test('a body is read as the same bytes however it is divided into chunks', async () => {
  const withoutTime = (body: string) => body.replaceAll(/"generated_at":"[^"]*"/g, '');
  const ofSize = (max: number) => fc.integer({ min: 1, max });
  const sizes = fc.array(fc.oneof(ofSize(3), ofSize(100), ofSize(70_000)), { minLength: 1, maxLength: 8 });
  await forAllAsync(20, [fc.integer({ min: 1, max: 500 }), sizes], async (count, chunkSizes) => {
    const body = JSON.stringify({
      requests: scatteredSites(count).map((site) => ({ ...PREDICT_REQUEST, ...site })),
    });
    const whole = await service.post('/v1/predict/batch', body);
    const cut = await sendChunked(body, chunkSizes, '/v1/predict/batch');
    expect([whole.status, cut.status]).toEqual([200, 200]);
    expect(withoutTime(cut.body)).toBe(withoutTime(await whole.text()));
  });
});

test('the largest batch that a tier allows, 500 entries with every field, indented, fits into the body limit', async () => {
  const requests = scatteredSites(500).map((site) => ({
    ...PREDICT_REQUEST,
    ...site,
    horizons: [1, 3, 5],
    tag: 'x'.repeat(100),
  }));
  const response = await service.post('/v1/predict/batch', JSON.stringify({ requests }, null, 4));
  expect(response.status).toBe(200);
});

test.each([
  ['gzip', gzipSync(BODY)],
  ['x-gzip', gzipSync(BODY)],
  ['deflate', deflateSync(BODY)],
  ['br', brotliCompressSync(BODY)],
  ['zstd', BODY],
  ['gzip, gzip', gzipSync(gzipSync(BODY))],
  ['gzip, identity', gzipSync(BODY)],
  ['identity, gzip', gzipSync(BODY)],
  ['', BODY],
  ['nonsense', BODY],
  ['gzip', gzipSync(BOMB)],
])('a body of Content-Encoding "%s" is refused with 415 and not unpacked', async (encoding, body) => {
  for (const path of ['/v1/predict', '/v1/predict/batch', '/v1/predict/compare', '/v1/predict/rank'])
    await expectError(
      await service.post(path, body, { 'content-encoding': encoding }),
      415,
      'unsupported_media_type',
    );
});

test('a body of Content-Encoding identity is read, in any case of letters', async () => {
  for (const encoding of ['identity', 'Identity'])
    expect((await service.post('/v1/predict', BODY, { 'content-encoding': encoding })).status).toBe(200);
});

test('a compressed body without Content-Encoding is invalid_json', async () => {
  for (const body of [gzipSync(BODY), brotliCompressSync(BODY)])
    await expectError(await service.post('/v1/predict', body), 400, 'invalid_json');
});
