import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/error-body.js';
import { COMPARE_REQUEST, PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

const ENTRY = JSON.stringify(PREDICT_REQUEST);
const COMPARISON = JSON.stringify(COMPARE_REQUEST);

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

describe.each(POISONS)('%s', (poison) => {
  let service: TestService;
  const pristine = [Object.prototype, Array.prototype, Function.prototype].map(Reflect.ownKeys);
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());
  afterEach(() => {
    expect([Object.prototype, Array.prototype, Function.prototype].map(Reflect.ownKeys)).toEqual(pristine);
  });

  /** The answer with no time at which it was made. */
  async function answer(path: string, body: string): Promise<string> {
    const response = await service.post(path, body);
    expect(response.status).toBe(200);
    return (await response.text()).replaceAll(/"generated_at":"[^"]*"/g, '"generated_at":""');
  }

  it('changes no prediction and no comparison', async () => {
    for (const [path, clean] of [
      ['/v1/predict', ENTRY],
      ['/v1/predict/compare', COMPARISON],
    ] as const) {
      for (const body of poisoned(clean, poison))
        expect(await answer(path, body)).toBe(await answer(path, clean));
    }
  });

  it('changes no batch, around its entries, in them or as one', async () => {
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
  });

  it('stands for no field that is missing', async () => {
    await expectError(await service.post('/v1/predict', `{${poison}}`), 422, 'invalid_request');
    await expectError(await service.post('/v1/predict/compare', `{${poison}}`), 422, 'invalid_request');
    await expectError(await service.post('/v1/predict/batch', `{${poison}}`), 422, 'invalid_request');
  });
});

describe('__proto__ and constructor outside of a body', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  it('in a query and in headers they change nothing', async () => {
    const query = '?__proto__[polluted]=1&constructor[prototype][polluted]=1&__proto__.polluted=1';
    const headers = { __proto: '1', constructor: '1', 'x-request-id': '__proto__' };
    const response = await service.get(`/v1/species${query}`, headers);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-request-id')).toBe('__proto__');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('of duplicate requests the last counts, whatever the first holds', async () => {
    const response = await service.post('/v1/predict/batch', `{"requests":[1,2,3],"requests":[${ENTRY}]}`);
    expect(await response.json()).toMatchObject({ summary: { total: 1, successful: 1 } });
    const hidden = `{"requests":[${ENTRY}],"requests":${JSON.stringify(Array(501).fill(1))}}`;
    await expectError(await service.post('/v1/predict/batch', hidden), 422, 'batch_too_large');
  });
});
