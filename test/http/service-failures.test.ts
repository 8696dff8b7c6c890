import Libsql from 'libsql';
import { afterAll, expect, test } from 'vitest';
import { expectError } from '../support/error-body.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

const service = await serviceOfFile();
const spore: Record<string, string> = { 'x-api-key': (await service.issueKey('spore')).secret };
/** A connection to the file of the store that does not belong to the service. */
const intruder = new Libsql(service.config.databaseUrl.slice('sqlite:'.length));
afterAll(() => void intruder.close());

test('a key store that cannot be reached in time is 503 unavailable with Retry-After', async () => {
  intruder.exec('begin immediate');
  const response = await service.get('/v1/species', spore);
  expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  await expectError(response, 503, 'unavailable');
  intruder.exec('rollback');
  expect((await service.get('/v1/species', spore)).headers.get('ratelimit')).toMatch(/^"daily";r=99;/);
});

test('any other failure is 500 internal_error with the request id, and the next caller is answered', async () => {
  intruder.exec('alter table daily_usage rename to elsewhere');
  const response = await service.post('/v1/predict', PREDICT_REQUEST, {
    ...spore,
    'x-request-id': 'mine-1',
  });
  const { details } = await expectError(response, 500, 'internal_error');
  expect(details).toEqual({ request_id: 'mine-1' });
  intruder.exec('alter table elsewhere rename to daily_usage');
  expect((await service.post('/v1/predict', PREDICT_REQUEST, spore)).status).toBe(200);
});
