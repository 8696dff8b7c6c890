import { expect, test } from 'vitest';
import { parseErrorBody } from '../support/error-body.js';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { sharedService } from '../support/service.js';

const POSTS = ['/v1/predict', '/v1/predict/batch', '/v1/predict/compare', '/v1/predict/rank', '/v1/plan'];
const GETS = [
  '/v1/surfaces/PSME?bbox=-122.1,44,-122.09,44.1',
  '/v1/species',
  '/v1/coverage',
  '/v1/model',
  '/v1/usage',
  '/v1/health',
  '/openapi.json',
  '/docs',
  '/licenses.txt',
  '/',
];

const service = await sharedService();

const sendRequest = (line: string, headers: string[] = []) =>
  sendRaw(service.apiUrl, rawRequest(line, [`X-API-Key: ${service.key}`, ...headers]));

test.each([
  '/v1',
  '/v2/predict',
  '/v1/%zz',
  '/v1/%ff',
  '/v1/%00',
  '//v1/predict',
  '/v1//predict',
  '/v1/predict/',
  '/v1/surfaces',
  '/v1/surfaces/',
  '/v1/surfaces/?f=csv',
  '/v1/surfaces/PSME/',
  '/v1/surfaces/PSME/x',
  '/V1/predict',
  '/v1/PREDICT',
  '/v1/../v1/predict',
  '/v1/./predict',
  '/v1/predict%2Fbatch',
  '/v1/predict;a=b',
  '/v1/__proto__',
  '/constructor',
  `/${'a'.repeat(10_000)}`,
  '*',
  '*v1/species',
  '/v1/species#',
  'http:///v1/species',
  'ftp://x/v1/species',
])('the unknown path %s is 404 not_found for every method', async (path) => {
  for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) {
    const { status, body, headers } = await sendRequest(`${method} ${path} HTTP/1.1`);
    expect({ status, code: parseErrorBody(body).code }).toEqual({ status: 404, code: 'not_found' });
    expect(headers.has('x-request-id')).toBe(true);
    expect(body.length).toBeLessThan(400);
  }
});

test.each([
  ...POSTS.map((path) => [path, 'POST', 'GET'] as const),
  ...GETS.map((path) => [path, 'GET, HEAD', 'POST'] as const),
])('%s answers methods other than %s with 405 method_not_allowed and Allow', async (path, allowed, other) => {
  for (const method of [other, 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    const { status, headers, body } = await sendRequest(`${method} ${path} HTTP/1.1`);
    expect([status, parseErrorBody(body).code]).toEqual([405, 'method_not_allowed']);
    expect(headers.get('allow')).toBe(allowed);
  }
});

test.each(POSTS)('HEAD %s is 405 with Allow and no body', async (path) => {
  const { status, headers, body } = await sendRequest(`HEAD ${path} HTTP/1.1`);
  expect([status, headers.get('allow'), body]).toEqual([405, 'POST', '']);
});

test.each(GETS)('HEAD %s returns the headers of GET and no body', async (path) => {
  const [get, head] = [await sendRequest(`GET ${path} HTTP/1.1`), await sendRequest(`HEAD ${path} HTTP/1.1`)];
  expect([head.status, head.body]).toEqual([200, '']);
  for (const name of ['content-type', 'content-length'])
    expect(head.headers.get(name)).toBe(get.headers.get(name));
});

test('a query string does not change the route of a request', async () => {
  expect((await service.post('/v1/predict?trace=%zz&x', PREDICT_REQUEST)).status).toBe(200);
  expect((await service.get('/v1/predict?x=1')).status).toBe(405);
});
