import { afterEach, expect, test } from 'vitest';
import { expectError } from '../support/error-body.js';
import { COMPARE_REQUEST, FOREST_SITE, PREDICT_REQUEST } from '../support/requests.js';
import { sharedService } from '../support/service.js';

const ENTRY = JSON.stringify(PREDICT_REQUEST);
const COMPARISON = JSON.stringify(COMPARE_REQUEST);
const SITE = JSON.stringify(FOREST_SITE);

/** Members that would give every object a horizon, a species and a mark if somebody merged or assigned them. */
const LOOT = '{"polluted":1,"horizons":[5],"species_code":"TSHE","requests":[]}';
const POISONS = [
  `"__proto__":${LOOT}`,
  `"constructor":{"prototype":${LOOT}}`,
  `"prototype":${LOOT}`,
  '"__proto__":null',
];

/** A JSON object with a member put first, and one with it put last. */
const poisoned = (object: string, poison: string) => [
  `{${poison},${object.slice(1)}`,
  `${object.slice(0, -1)},${poison}}`,
];

const pristine = [Object.prototype, Array.prototype, Function.prototype].map(Reflect.ownKeys);

const service = await sharedService();

afterEach(() => {
  expect([Object.prototype, Array.prototype, Function.prototype].map(Reflect.ownKeys)).toEqual(pristine);
});

/** The response without the time of the prediction. */
async function answer(path: string, body: string): Promise<string> {
  const response = await service.post(path, body);
  expect(response.status).toBe(200);
  return (await response.text()).replaceAll(/"generated_at":"[^"]*"/g, '"generated_at":""');
}

test.each(POISONS)('%s in a body changes no prediction, comparison or ranking', async (poison) => {
  for (const [path, clean] of [
    ['/v1/predict', ENTRY],
    ['/v1/predict/compare', COMPARISON],
    ['/v1/predict/rank', SITE],
  ] as const) {
    for (const body of poisoned(clean, poison))
      expect(await answer(path, body)).toBe(await answer(path, clean));
  }
});

test.each(POISONS)(
  '%s around, in or instead of entries changes no other result of a batch',
  async (poison) => {
    const clean = await answer('/v1/predict/batch', `{"requests":[${ENTRY},${ENTRY}]}`);
    for (const body of poisoned(`{"requests":[${ENTRY},${ENTRY}]}`, poison))
      expect(await answer('/v1/predict/batch', body)).toBe(clean);
    for (const entry of poisoned(ENTRY, poison))
      expect(await answer('/v1/predict/batch', `{"requests":[${entry},${ENTRY}]}`)).toBe(clean);
    expect(
      JSON.parse(await answer('/v1/predict/batch', `{"requests":[{${poison}},${ENTRY}]}`)),
    ).toMatchObject({
      results: [{ error: { code: 'invalid_request' } }, { species_code: 'PSME' }],
    });
  },
);

test.each(POISONS)('%s does not replace a missing field', async (poison) => {
  for (const path of ['/v1/predict', '/v1/predict/compare', '/v1/predict/batch'])
    await expectError(await service.post(path, `{${poison}}`), 422, 'invalid_request');
});

test('__proto__ and constructor in a query or in headers change nothing', async () => {
  const query = '?__proto__[polluted]=1&constructor[prototype][polluted]=1&__proto__.polluted=1';
  const headers = { __proto: '1', constructor: '1', 'x-request-id': '__proto__' };
  const response = await service.get(`/v1/species${query}`, headers);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-request-id')).toBe('__proto__');
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('the last of two `requests` fields counts, whatever the first contains', async () => {
  const response = await service.post('/v1/predict/batch', `{"requests":[1,2,3],"requests":[${ENTRY}]}`);
  expect(await response.json()).toMatchObject({ summary: { total: 1, successful: 1 } });
  const hidden = `{"requests":[${ENTRY}],"requests":${JSON.stringify(Array(501).fill(1))}}`;
  await expectError(await service.post('/v1/predict/batch', hidden), 422, 'batch_too_large');
});
