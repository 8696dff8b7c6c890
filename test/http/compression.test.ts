import zlib from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { predictionResultSchema } from '../../src/http/response/schemas.js';
import { startTestService, type TestService } from '../support/service.js';

const SITE = { latitude: 44.12, longitude: -122.03, species_code: 'PSME', planting_method: 'manual' };
const BATCH = { requests: Array.from({ length: 50 }, () => SITE) };

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const answerTo = (body: unknown, path: string, acceptEncoding: string) =>
  service.post(path, body, { 'accept-encoding': acceptEncoding });

test.each(['gzip', 'br', ...('zstdCompress' in zlib ? ['zstd'] : [])])(
  'a response compressed with %s has the same content',
  async (encoding) => {
    const response = await answerTo(BATCH, '/v1/predict/batch', encoding);
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toBe('accept-encoding');
    const { results, summary } = (await response.json()) as { results: unknown[]; summary: unknown };
    expect(summary).toEqual({ total: 50, successful: 50, failed: 0 });
    for (const result of results) expect(predictionResultSchema.safeParse(result).success).toBe(true);
  },
);

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
  const response = await answerTo({ ...SITE, horizons: [1] }, '/v1/predict', 'br');
  expect(response.headers.get('content-encoding')).toBeNull();
  await response.arrayBuffer();
});
