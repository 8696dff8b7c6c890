import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { expectError } from '../support/error-body.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

const BODY = Buffer.from(JSON.stringify(PREDICT_REQUEST));
const BOMB = Buffer.alloc(20 * 2 ** 20, ' ');

const service = await serviceOfFile();

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

test('compressed bytes that are not declared as such are invalid_json', async () => {
  for (const body of [gzipSync(BODY), brotliCompressSync(BODY)])
    await expectError(await service.post('/v1/predict', body), 400, 'invalid_json');
});

test('a body of Content-Encoding identity is read, in any case of letters', async () => {
  for (const encoding of ['identity', 'Identity'])
    expect((await service.post('/v1/predict', BODY, { 'content-encoding': encoding })).status).toBe(200);
});
