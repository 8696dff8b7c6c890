import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { csvOf, postTable } from '../http/support/tables.js';
import { PLAN_REQUEST } from '../http/support/units.js';
import { expectError } from '../support/error-body.js';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

const LIMIT_BYTES = 2_000_000;

const service = await serviceOfFile({
  WORKERS: '1',
  TABLE_LIMIT_BYTES: String(LIMIT_BYTES),
  REQUEST_TIMEOUT_MS: '3000',
});

const CSV = csvOf(Array(20).fill(PREDICT_REQUEST));

const postGzip = (body: Uint8Array) => postTable(service, body, '', { 'content-encoding': 'gzip' });

test('gzip within gzip is decompressed once, and the result is not a table', async () => {
  const { message } = await expectError(await postGzip(gzipSync(gzipSync(CSV))), 422, 'invalid_request');
  expect(message).toMatch(/not UTF-8/);
});

test('the decompressed size of many small gzip members together is limited', async () => {
  const member = gzipSync(Buffer.alloc(100_000, '\n'), { level: 9 });
  const bomb = Buffer.concat(Array(2000).fill(member)); // 200 MB
  expect(bomb.length).toBeLessThan(LIMIT_BYTES);
  await expectError(await postGzip(bomb), 413, 'payload_too_large');
});

test('callers who announce plans and never send them hold memory no longer than the request timeout', async () => {
  const mostOfKey = 8; // half of the memory of 16 of the largest
  const head = rawRequest('POST /v1/plan HTTP/1.1', [
    `X-API-Key: ${service.key}`,
    'Content-Type: application/json',
    `Content-Length: ${service.config.planLimitBytes}`,
  ]);
  const answers = await Promise.all(Array.from({ length: mostOfKey }, () => sendRaw(service.apiUrl, head)));
  expect(answers.map(({ status }) => status)).toEqual(Array(mostOfKey).fill(408));
  expect((await service.post('/v1/plan', PLAN_REQUEST)).status).toBe(200);
});
