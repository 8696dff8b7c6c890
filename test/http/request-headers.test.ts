import { expect, test } from 'vitest';
import { parseErrorBody } from '../support/error-body.js';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { serviceOfFile } from '../support/service.js';

const service = await serviceOfFile();

const health = (headers: string[]) => sendRaw(service.apiUrl, rawRequest('GET /v1/health HTTP/1.1', headers));

test.each(['a', 'A-z_0.9', 'x'.repeat(128)])("the caller's own X-Request-Id %s is returned", async (id) => {
  expect((await health([`X-Request-Id: ${id}`])).headers.get('x-request-id')).toBe(id);
  const failed = await service.post('/v1/predict', '{', { 'x-request-id': id });
  expect(failed.headers.get('x-request-id')).toBe(id);
});

test.each(['', 'x'.repeat(129), 'a b', 'a/b', 'é', 'a,b', '<script>'])(
  'the invalid X-Request-Id %j is replaced by a new one',
  async (id) => {
    const [first, second] = [await health([`X-Request-Id: ${id}`]), await health([`X-Request-Id: ${id}`])];
    expect(first.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  },
);

test('two X-Request-Id headers are replaced by a new id', async () => {
  const { headers } = await health(['X-Request-Id: a', 'X-Request-Id: b']);
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('an X-API-Key sent twice is not valid, and whitespace around it is ignored', async () => {
  const species = (headers: string[]) =>
    sendRaw(service.apiUrl, rawRequest('GET /v1/species HTTP/1.1', headers));
  const key = `X-API-Key: ${service.key}`;
  const twice = await species([key, key]);
  expect([twice.status, parseErrorBody(twice.body).code]).toEqual([401, 'invalid_api_key']);
  expect((await species([`x-api-key:   ${service.key}  `])).status).toBe(200);
});

test('a header after 90 others is read, and a request with more than 100 is 431', async () => {
  const answerAfter = (others: number) =>
    sendRaw(
      service.apiUrl,
      rawRequest('GET /v1/species HTTP/1.1', [
        ...Array<string>(others).fill('a:'),
        `X-API-Key: ${service.key}`,
        'X-Request-Id: last',
      ]),
    );
  const { status, headers } = await answerAfter(90);
  expect([status, headers.get('x-request-id')]).toEqual([200, 'last']);
  for (const others of [101, 3000]) {
    const rejected = await answerAfter(others);
    expect([rejected.status, parseErrorBody(rejected.body).code]).toEqual([431, 'invalid_request']);
  }
});
