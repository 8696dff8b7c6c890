import { afterAll, beforeAll, expect, test } from 'vitest';
import { planResponseSchema } from '../../src/http/response/schemas.js';
import { expectError } from '../support/error-body.js';
import { startTestService, type TestService } from '../support/service.js';
import { FOREST_RING } from './support/units.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ WORKERS: '1' });
});
afterAll(() => service.stop());

/** A plan of units with these ids, as they are written in its body. */
function post(...ids: readonly string[]): Promise<Response> {
  const geometry = JSON.stringify({ type: 'Polygon', coordinates: [FOREST_RING] });
  const features = ids.map((id) => `{"type":"Feature","id":${id},"geometry":${geometry}}`);
  const units = `{"type":"FeatureCollection","features":[${features.join()}]}`;
  return service.post('/v1/plan', `{"units":${units},"species_codes":["PSME"]}`);
}

test.each([
  ['9007199254740993', '9007199254740992'],
  ['-9007199254740993', '-9007199254740992'],
  ['123456789012345678', '123456789012345680'],
  ['0.12345678901234567891', '0.12345678901234568'],
  ['1e-400', '0'],
  ['1.23456789012e-320', '1.2347e-320'],
])('the id %s, which no double holds, is refused and not rounded to %s', async (id, rounded) => {
  const { message, details } = await expectError(await post('1', id), 422, 'invalid_request');
  expect(message).toContain(
    `units.features.1.id would be rounded from ${id} to ${rounded}: send it as a string`,
  );
  expect(details).toMatchObject({ issues: [{ path: 'units.features.1.id' }] });
});

test('ids that a double holds come back with their value, and strings with their digits', async () => {
  const ids = [
    '0.0',
    '-7',
    '9007199254740991',
    '-9007199254740991',
    '1.5',
    '1e3',
    '0.30000000000000004',
    '1e300',
    '2.5000000000000000000',
    '1234567890123456.0',
    '9007199254740990.0',
    '1.2345678901234568e-05',
    '1E+2',
  ];
  const texts = ['"9007199254740993"', '"9007199254740992"', '"1"'];
  const response = await post(...ids, ...texts);
  expect(response.status).toBe(200);
  const { units } = planResponseSchema.parse(await response.json());
  expect(units.map(({ id }) => id)).toEqual([...ids.map(Number), ...texts.map((text) => JSON.parse(text))]);
});

test('an id of many digits is refused with its beginning alone, and one of more than 4096 bytes as too long', async () => {
  const { message } = await expectError(await post('7'.repeat(300)), 422, 'invalid_request');
  expect(message).toContain(`from ${'7'.repeat(40)}... (300 characters)`);
  for (const id of ['7'.repeat(1_000_000), `"${'x'.repeat(4095)}"`]) {
    const { message } = await expectError(await post(id), 422, 'invalid_request');
    expect(message).toContain('units.features.0.id must have at most 4096 bytes');
  }
  expect((await post(`"${'x'.repeat(4094)}"`)).status).toBe(200);
});
