import { expect, test } from 'vitest';
import type { ErrorCode } from '../../src/formats/errors/api-error.js';
import { SettableClock } from '../accounts/support/settable-clock.js';
import { expectError } from '../support/error-body.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

type Headers = Readonly<Record<string, string>>;

/** Headers by name: what a caller sends, or the key of a caller. */
const headersOf: Record<string, Headers> = {
  text: { 'content-type': 'text/plain' },
  'no key': { 'x-api-key': '' },
};

const service = await serviceOfFile({}, new SettableClock('2026-11-20T23:00:00Z').nowMs);
const issue = async (name: string) => {
  const { id, secret } = await service.issueKey('spore');
  headersOf[name] = { 'x-api-key': secret };
  return id;
};
await issue('spore');
headersOf.exhausted = await service.exhaustedKey();
await service.administration.setState(await issue('deactivated'), 'deactivated');

const predict = (body: unknown, headers?: Headers) => service.post('/v1/predict', body, headers);

const TOO_LARGE = ' '.repeat(2 ** 20 + 1);
const TOO_MANY = { requests: Array(11).fill({ latitude: 'x' }) };
/** Errors that are checked after the key and the quota: media type, size, JSON, shape. */
const WRONG: readonly (readonly [body: unknown, type: string])[] = [
  ['x', 'text'],
  [TOO_LARGE, ''],
  ['{', ''],
  [{}, ''],
];

/** In the order of the checks: each request also has errors that are checked later. */
const CHECKS: readonly (readonly [
  status: number,
  code: ErrorCode,
  path: string,
  senders: string,
  body: unknown,
])[] = [
  [404, 'not_found', '/v1/nothing', 'no key', '{'],
  [404, 'not_found', '/v1/nothing', 'text', 'x'],
  [404, 'not_found', '/v1/nothing', '', TOO_LARGE],
  ...WRONG.flatMap(
    ([body, type]) =>
      [
        [401, 'invalid_api_key', '/v1/predict', `no key ${type}`, body],
        [403, 'key_inactive', '/v1/predict', `deactivated ${type}`, body],
        [429, 'rate_limit_exceeded', '/v1/predict', `exhausted ${type}`, body],
      ] as const,
  ),
  [415, 'unsupported_media_type', '/v1/predict', 'text', TOO_LARGE],
  [415, 'unsupported_media_type', '/v1/predict', 'text', '{'],
  [415, 'unsupported_media_type', '/v1/predict', 'text', ''],
  [413, 'payload_too_large', '/v1/predict', '', TOO_LARGE],
  [400, 'invalid_json', '/v1/predict', '', '['.repeat(100_000)],
  [422, 'invalid_request', '/v1/predict/batch', 'spore', { requests: { length: 5000 } }],
  [422, 'batch_too_large', '/v1/predict/batch', 'spore', TOO_MANY],
];

test.each(CHECKS)('%i %s precedes later errors: %s, %s', async (status, code, path, names, body) => {
  const headers = Object.entries(headersOf).filter(([name]) => names.includes(name));
  const all = Object.assign({}, ...headers.map(([, each]) => each)) as Headers;
  const { details } = await expectError(await service.post(path, body, all), status, code);
  if (status < 404) expect(details).toBeUndefined();
});

test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
  'the method %s is checked before key, size and JSON',
  async (method) => {
    for (const body of ['{', TOO_LARGE]) {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${service.apiUrl}/v1/predict`, { method, headers, body });
      await expectError(response, 405, 'method_not_allowed');
    }
  },
);

test.each([
  ['spore', 10],
  ['mycel', 100],
  ['hypha', 500],
] as const)(
  'a batch of more entries than the %s tier allows is batch_too_large 422, and one of its %i is answered',
  async (tier, limit) => {
    const headers = { 'x-api-key': (await service.issueKey(tier)).secret };
    const send = (count: number) =>
      service.post('/v1/predict/batch', { requests: Array(count).fill(PREDICT_REQUEST) }, headers);
    expect((await send(limit)).status).toBe(200);
    for (const submitted of [limit + 1, 5000]) {
      const { details } = await expectError(await send(submitted), 422, 'batch_too_large');
      expect(details).toEqual({ submitted, tier_limit: limit, tier });
    }
  },
);

test('a batch whose requests are missing or not an array is invalid_request 422 as a whole', async () => {
  for (const body of [{}, { requests: null }, { requests: {} }, { requests: 'x' }, [], [PREDICT_REQUEST]])
    await expectError(await service.post('/v1/predict/batch', body), 422, 'invalid_request');
});

const NOT_UTF8 = [Buffer.from('{"x":"\u00ff"}', 'latin1'), Buffer.from('{}', 'utf16le')];
test.each(['', '{', '{"latitude":NaN}', '{"latitude":01}', '\ufeff{}', ...NOT_UTF8])(
  'the body %j is invalid_json 400',
  async (body) => {
    const error = await expectError(await predict(body), 400, 'invalid_json');
    expect(error.details).toBeUndefined();
  },
);

test.each([
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data; boundary=x', 415],
  ['application/jsonx', 415],
  ['application/merge-patch+json', 415],
  ['text/json', 415],
  ['nonsense', 415],
  ['application/json', 200],
  ['application/json; charset=utf-8', 200],
  ['Application/JSON', 200],
])('Content-Type %s gets %i', async (contentType, status) => {
  const response = await predict(PREDICT_REQUEST, { 'content-type': contentType });
  if (status === 200) expect(response.status).toBe(200);
  else await expectError(response, status, 'unsupported_media_type');
});

test('a POST without Content-Type is unsupported_media_type 415', async () => {
  const headers = { 'x-api-key': service.key };
  const untyped = await fetch(`${service.apiUrl}/v1/predict`, { method: 'POST', headers });
  await expectError(untyped, 415, 'unsupported_media_type');
});

test('Accept is ignored by endpoints that have one format', async () => {
  const headers = { accept: 'text/csv, application/json;q=0' };
  expect((await predict(PREDICT_REQUEST, headers)).status).toBe(200);
  expect((await service.get('/v1/species', headers)).status).toBe(200);
  await expectError(await predict({}, headers), 422, 'invalid_request');
});
