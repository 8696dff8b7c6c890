import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseErrorBody } from '../support/error-body.js';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { startTestService, type TestService } from '../support/service.js';

describe('headers of a request', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const health = (headers: string[]) =>
    sendRaw(service.apiUrl, rawRequest('GET /v1/health HTTP/1.1', headers));

  it.each(['a', 'A-z_0.9', 'x'.repeat(128)])("X-Request-Id: the caller's own %s comes back", async (id) => {
    expect((await health([`X-Request-Id: ${id}`])).headers.get('x-request-id')).toBe(id);
    const failed = await service.post('/v1/predict', '{', { 'x-request-id': id });
    expect(failed.headers.get('x-request-id')).toBe(id);
  });

  it.each(['', 'x'.repeat(129), 'a b', 'a/b', 'é', 'a,b', '<script>'])(
    'X-Request-Id: %j is replaced by a new one',
    async (id) => {
      const [first, second] = [await health([`X-Request-Id: ${id}`]), await health([`X-Request-Id: ${id}`])];
      expect(first.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    },
  );

  it('X-Request-Id: two of them are replaced by a new one', async () => {
    const { headers } = await health(['X-Request-Id: a', 'X-Request-Id: b']);
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('X-API-Key: sent twice is no key, surrounding blanks do not matter', async () => {
    const species = (headers: string[]) =>
      sendRaw(service.apiUrl, rawRequest('GET /v1/species HTTP/1.1', headers));
    const key = `X-API-Key: ${service.key}`;
    const twice = await species([key, key]);
    expect([twice.status, parseErrorBody(twice.body).code]).toEqual([401, 'invalid_api_key']);
    expect((await species([`x-api-key:   ${service.key}  `])).status).toBe(200);
  });

  it('a header counts also after 90 others, and with 3,000 others the request is refused', async () => {
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
      const refusal = await answerAfter(others);
      expect([refusal.status, parseErrorBody(refusal.body).code]).toEqual([431, 'invalid_request']);
    }
  });
});
