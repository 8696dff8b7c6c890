import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareResponseSchema, type predictionResultSchema } from '../../src/http/response/schemas.js';
import { COMPARE_REQUEST, PREDICT_REQUEST, scatteredSites } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

type Result = ReturnType<typeof predictionResultSchema.parse>;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

async function compare(change: object = {}) {
  const response = await service.post('/v1/predict/compare', { ...COMPARE_REQUEST, ...change });
  expect(response.status).toBe(200);
  const body = (await response.json()) as ReturnType<typeof compareResponseSchema.parse>;
  compareResponseSchema.parse(body);
  return body;
}

test('a comparison has exactly the documented fields, in the documented order', async () => {
  const comparison = await compare();
  expect(Object.keys(comparison).join(' ')).toBe(
    'site species_code species_common_name comparison method_differential model generated_at',
  );
  expect(Object.keys(comparison.comparison)).toEqual(['manual', 'drone_seeded']);
  expect(Object.keys(comparison.comparison.manual)).toEqual(['predictions']);
  expect(Object.keys(comparison.method_differential[0])).toEqual(['horizon_years', 'manual_advantage']);
});

test('a comparison equals the two single predictions, at the same matched point', async () => {
  const comparison = await compare();
  for (const planting_method of ['manual', 'drone_seeded'] as const) {
    const response = await service.post('/v1/predict', { ...PREDICT_REQUEST, planting_method });
    const single = (await response.json()) as Result;
    expect(comparison.comparison[planting_method].predictions).toEqual(single.predictions);
    expect(comparison.site).toEqual(single.site);
    expect(comparison.model).toEqual(single.model);
  }
});

test('manual_advantage is the reported manual minus the reported drone-seeded probability, to 4 decimals', async () => {
  const requests = scatteredSites(500).map((site) => ({ ...PREDICT_REQUEST, ...site }));
  const batch = await service.post('/v1/predict/batch', { requests });
  const { results } = (await batch.json()) as { results: Partial<Result>[] };
  const answered = results.flatMap(({ site }) => (site === undefined ? [] : [site])).slice(0, 60);
  for (const { latitude, longitude } of answered) {
    const { comparison, method_differential } = await compare({ latitude, longitude });
    method_differential.forEach(({ horizon_years, manual_advantage }, i) => {
      const [manual, seeded] = [comparison.manual.predictions[i], comparison.drone_seeded.predictions[i]];
      expect(horizon_years).toBe(manual.horizon_years);
      expect(manual_advantage).toBe(
        Number((manual.survival_probability - seeded.survival_probability).toFixed(4)),
      );
    });
  }
});

test('a comparison has one differential for each requested horizon, ascending', async () => {
  const { comparison, method_differential } = await compare({ horizons: [5, 1, 5] });
  expect(method_differential.map(({ horizon_years }) => horizon_years)).toEqual([1, 5]);
  expect(comparison.drone_seeded.predictions.map(({ horizon_years }) => horizon_years)).toEqual([1, 5]);
});

test.each(['manual', 'broadcast', 7, null])(
  'a comparison ignores a planting_method of %j',
  async (planting_method) => {
    const { generated_at: _, ...given } = await compare({ planting_method });
    const { generated_at: __, ...plain } = await compare();
    expect(given).toEqual(plain);
  },
);
