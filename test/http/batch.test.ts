import { afterAll, beforeAll, expect, test } from 'vitest';
import { batchResponseSchema } from '../../src/http/response/schemas.js';
import { PREDICT_REQUEST, scatteredSites } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

async function batch(requests: unknown[]) {
  const response = await service.post('/v1/predict/batch', { requests, tag: 'ignored' });
  expect(response.status).toBe(200);
  return batchResponseSchema.parse(await response.json());
}

test('an empty batch has empty results and a zero summary', async () => {
  expect(await batch([])).toEqual({ results: [], summary: { total: 0, successful: 0, failed: 0 } });
});

test('a batch response has results and summary, in the documented order', async () => {
  const response = await service.post('/v1/predict/batch', { requests: [PREDICT_REQUEST] });
  const body = (await response.json()) as { summary: object };
  expect(Object.keys(body)).toEqual(['results', 'summary']);
  expect(Object.keys(body.summary)).toEqual(['total', 'successful', 'failed']);
});

test('each entry of a batch of 500 gets what POST /v1/predict gives it alone, in submission order', async () => {
  const requests = scatteredSites(250).flatMap((site, i) => [
    {
      ...PREDICT_REQUEST,
      ...site,
      planting_method: i % 3 === 0 ? 'manual' : 'drone_seeded',
      horizons: [5, 1],
    },
    i % 5 === 0
      ? { ...PREDICT_REQUEST, species_code: `X${i}` }
      : { ...PREDICT_REQUEST, species_code: 'TSHE' },
  ]);
  const { results, summary } = await batch(requests);
  const alone = await Promise.all(
    requests.map(async (request) => {
      const response = await service.post('/v1/predict', request);
      const body = (await response.json()) as { error?: object; generated_at: string };
      return response.status === 200
        ? body
        : { ...body, latitude: request.latitude, longitude: request.longitude };
    }),
  );
  const timeless = (elements: object[]) => elements.map((element) => ({ ...element, generated_at: '' }));
  expect(timeless(results)).toEqual(timeless(alone));
  const failed = results.filter((result) => 'error' in result).length;
  expect(failed).toBeGreaterThanOrEqual(50);
  expect(summary).toEqual({ total: 500, successful: 500 - failed, failed });
});

test('duplicate sites of a batch are each answered in their place', async () => {
  const { results } = await batch([PREDICT_REQUEST, PREDICT_REQUEST, PREDICT_REQUEST]);
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
});
