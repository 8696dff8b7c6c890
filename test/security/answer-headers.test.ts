import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendRaw } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ WORKERS: '1' });
});
afterAll(() => service.stop());

/** Every answer, right or wrong, of both listeners. */
const ANSWERS: Readonly<Record<string, () => Promise<Response>>> = {
  prediction: () => service.post('/v1/predict', PREDICT_REQUEST),
  batch: () => service.post('/v1/predict/batch', { requests: [PREDICT_REQUEST] }),
  comparison: () => service.post('/v1/predict/compare', { ...PREDICT_REQUEST, planting_method: undefined }),
  species: () => service.get('/v1/species'),
  coverage: () => service.get('/v1/coverage'),
  health: () => service.get('/v1/health'),
  documentation: () => service.get('/docs'),
  'a bad key': () => service.get('/v1/species', { 'x-api-key': 'none' }),
  'a bad body': () => service.post('/v1/predict', '{'),
  'no route': () => service.get('/nowhere'),
  metrics: () => fetch(`${service.opsUrl}/metrics`),
  readiness: () => fetch(`${service.opsUrl}/readyz`),
};

it.each(Object.entries(ANSWERS))(
  'no cache keeps and no browser guesses at the type of: %s',
  async (_name, send) => {
    const response = await send();
    await response.arrayBuffer();
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  },
);

it.each([
  ['no HTTP', 'hello\r\n\r\n'],
  ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['an expectation', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n'],
])('nor of what Node refuses: %s', async (_name, request) => {
  const { headers } = await sendRaw(service.apiUrl, request);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});
