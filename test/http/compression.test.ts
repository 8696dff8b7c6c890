import { createHook } from 'node:async_hooks';
import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { predictionResultSchema } from '../../src/http/response/schemas.js';
import { answersOn, rawRequest } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

const BATCH = { requests: Array(50).fill(PREDICT_REQUEST) };

const service = await serviceOfFile();

const ENCODINGS = ['gzip', 'br', ...('zstdCompress' in zlib ? ['zstd'] : [])];

const answerTo = (body: unknown, path: string, acceptEncoding: string) =>
  service.post(path, body, { 'accept-encoding': acceptEncoding });

test.each(ENCODINGS)('a response compressed with %s has the same content', async (encoding) => {
  const response = await answerTo(BATCH, '/v1/predict/batch', encoding);
  expect(response.headers.get('content-encoding')).toBe(encoding);
  expect(response.headers.get('vary')).toBe('accept-encoding');
  const { results, summary } = (await response.json()) as { results: unknown[]; summary: unknown };
  expect(summary).toEqual({ total: 50, successful: 50, failed: 0 });
  for (const result of results) expect(predictionResultSchema.safeParse(result).success).toBe(true);
});

test.each([
  ['gzip;q=0.5, br;q=0.1', 'gzip'],
  ['gzip, br', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['identity', null],
  ['gzip;q=0', null],
  ['x-unknown', null],
  ['\t;q=;', null],
])('a caller who accepts %j gets the encoding %s', async (accepted, encoding) => {
  const response = await answerTo(BATCH, '/v1/predict/batch', accepted);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-encoding')).toBe(encoding);
  await response.arrayBuffer();
});

test('a response that fits into one packet is not compressed', async () => {
  const response = await answerTo({ ...PREDICT_REQUEST, horizons: [1] }, '/v1/predict', 'br');
  expect(response.headers.get('content-encoding')).toBeNull();
  await response.arrayBuffer();
});

test.each(ENCODINGS)(
  'a document is compressed in %s once, for sixty callers who ask for it at once and for all later ones',
  async (encoding) => {
    const page = await (await service.get('/docs')).text();
    const [script] = /docs\/\w+\/swagger-ui-bundle\.js/.exec(page)!;
    const requests = [script, 'openapi.json'].map((file) =>
      rawRequest(`GET /${file} HTTP/1.1`, [`Accept-Encoding: ${encoding}`]),
    );
    let compressions = 0;
    const counter = createHook({
      init: (_id, type) => {
        if (/ZLIB|BROTLI|ZSTD/i.test(type)) compressions++;
      },
    }).enable();
    try {
      for (const request of requests) {
        const ask = () => answersOn(service.apiUrl, request);
        const answers = await Promise.all(Array.from({ length: 60 }, ask));
        answers.push(await ask());
        const bodies = answers.map(({ text }) => text.slice(text.indexOf('\r\n\r\n')));
        expect(new Set(bodies).size).toBe(1);
        for (const { statuses, text } of answers) {
          expect(statuses).toEqual([200]);
          expect(text).toContain(`content-encoding: ${encoding}\r\n`);
        }
      }
    } finally {
      counter.disable();
    }
    expect(compressions).toBe(requests.length);
  },
);
