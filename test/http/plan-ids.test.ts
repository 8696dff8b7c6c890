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

test.each(['9007199254740993', '-9007199254740993', '123456789012345678', '1e300'])(
  'the id %s, an integer that JSON parsers round, is refused',
  async (id) => {
    const { message, details } = await expectError(await post('1', id), 422, 'invalid_request');
    expect(message).toContain('units.features.1.id is an integer beyond 9007199254740991');
    expect(details).toMatchObject({ issues: [{ path: 'units.features.1.id' }] });
  },
);

test('ids that a double holds come back with their value, and strings with their digits', async () => {
  const ids = [
    '0.0',
    '-7',
    '9007199254740991',
    '-9007199254740991',
    '1.5',
    '1e3',
    '0.30000000000000004',
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

test('an id of more than 4096 bytes is refused as too long', async () => {
  const { message } = await expectError(await post(`"${'x'.repeat(4095)}"`), 422, 'invalid_request');
  expect(message).toContain('units.features.0.id must have at most 4096 bytes');
  expect((await post(`"${'x'.repeat(4094)}"`)).status).toBe(200);
});
