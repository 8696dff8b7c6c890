import { expect, test } from 'vitest';
import { readMetrics } from '../reliability/support/metrics.js';
import { parseErrorBody } from '../support/error-body.js';
import { LogLines } from '../support/log-lines.js';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { serviceOfFile } from '../support/service.js';

const REQUESTS = 'nurselog_http_request_duration_seconds_count';

const ORIGIN = 'https://maps.example.org';
const log = new LogLines();

// Short, because some requests are never completed; long enough to read the others' heads on a busy machine.
const service = await serviceOfFile({ REQUEST_TIMEOUT_MS: '3000', CORS_ORIGINS: ORIGIN }, undefined, log);

const lineOf = (id: string) => log.find(({ request_id, msg }) => request_id === id && msg === 'request');

test.each([
  ['/v1/predict', 'does not come', 'Content-Length: 100', '{', 408],
  ['/v1/predict', 'has a malformed chunk', 'Transfer-Encoding: chunked', 'ZZ\r\n', 400],
  ['/v1/plan', 'has a malformed chunk', 'Transfer-Encoding: chunked', 'ZZ\r\n', 400],
  ['/v1/predict/table', 'has a malformed chunk', 'Transfer-Encoding: chunked', 'ZZ\r\n', 400],
])(
  'a request to %s whose body %s has the status in the log and the metrics that its caller gets',
  async (route, _, framing, body, status) => {
    const id = `body-${status}${route.replaceAll('/', '-')}`;
    const type = route.endsWith('table') ? 'text/csv' : 'application/json';
    const headers = [`X-API-Key: ${service.key}`, `X-Request-Id: ${id}`, `Content-Type: ${type}`, framing];
    const answer = await sendRaw(service.apiUrl, rawRequest(`POST ${route} HTTP/1.1`, headers, body));
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-request-id')).toBe(id);
    expect(parseErrorBody(answer.body).code).toBe('invalid_request');
    expect(await lineOf(id)).toMatchObject({ route, status });
    const labels = `{route="${route}",method="POST",status="${status}",tier="hypha"}`;
    expect((await readMetrics(service.opsUrl)).value(REQUESTS + labels)).toBe(1);
  },
);

test('a request without an id whose body is refused is logged with the id that its caller gets', async () => {
  const route = '/v1/predict/compare';
  const type = 'Content-Type: application/json';
  const headers = [`X-API-Key: ${service.key}`, type, 'Transfer-Encoding: chunked'];
  const answer = await sendRaw(service.apiUrl, rawRequest(`POST ${route} HTTP/1.1`, headers, 'ZZ\r\n'));
  expect(answer.status).toBe(400);
  expect(await lineOf(answer.headers.get('x-request-id')!)).toMatchObject({ route, status: 400 });
});

test('the rejection of a body that does not come states the quota and lets pages of a listed origin read it', async () => {
  const headers = [`X-API-Key: ${(await service.issueKey('spore')).secret}`, `Origin: ${ORIGIN}`];
  const body = ['Content-Type: application/json', 'Content-Length: 100'];
  const request = rawRequest('POST /v1/predict HTTP/1.1', [...headers, ...body], '{');
  const answer = await sendRaw(service.apiUrl, request);
  expect(answer.status).toBe(408);
  expect(answer.headers.get('ratelimit')).toMatch(/^"daily";r=99;t=\d+$/);
  expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
});

test.each([
  [404, 'GET /%zz HTTP/1.1', 'a-malformed-path', []],
  [417, 'GET /v1/health HTTP/1.1', 'an-expectation', ['Expect: 200-ok']],
])(
  'a request that is refused with %i for its path or expectation has a log line',
  async (status, line, id, more) => {
    const answer = await sendRaw(service.apiUrl, rawRequest(line, [`X-Request-Id: ${id}`, ...more]));
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-request-id')).toBe(id);
    expect(await lineOf(id)).toMatchObject({ status });
  },
);

test('bytes that are refused before they make a request have no log line and are in no metric', async () => {
  const linesBefore = log.all.filter(({ msg }) => msg === 'request').length;
  const before = (await readMetrics(service.opsUrl)).sum(REQUESTS);
  const refused: readonly (readonly [status: number, text: string])[] = [
    [400, 'garbage\r\n\r\n'],
    [408, 'GET /v1/health HTTP/1.1\r\nHost: te'],
    [431, rawRequest('GET /v1/health HTTP/1.1', [`X-Long: ${'x'.repeat(20_000)}`])],
    [405, rawRequest('CONNECT test:80 HTTP/1.1', [])],
  ];
  for (const [status, text] of refused) expect((await sendRaw(service.apiUrl, text)).status).toBe(status);
  await service.get('/v1/health', { 'x-request-id': 'after-refusals' });
  await lineOf('after-refusals');
  expect(log.all.filter(({ msg }) => msg === 'request')).toHaveLength(linesBefore + 1);
  expect((await readMetrics(service.opsUrl)).sum(REQUESTS)).toBe(before + 1);
});
