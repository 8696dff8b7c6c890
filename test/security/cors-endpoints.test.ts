import { afterAll, beforeAll, expect, test } from 'vitest';
import { csvOf, TABLE_PATH } from '../http/support/tables.js';
import { PLAN_REQUEST } from '../http/support/units.js';
import { expectError } from '../support/error-body.js';
import { FOREST_SITE, PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

const LISTED = 'https://maps.example.org';
const UNLISTED = ['https://evil.example.org', 'null', `${LISTED}.evil.example`];

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ WORKERS: '1', CORS_ORIGINS: LISTED });
});
afterAll(() => service.stop());

/** A request of each of the endpoints that came after predict, batch and compare. */
const REQUESTS: readonly (readonly [path: string, contentType: string, body: string | undefined])[] = [
  [TABLE_PATH, 'text/csv', csvOf([PREDICT_REQUEST])],
  ['/v1/plan', 'application/json', JSON.stringify(PLAN_REQUEST)],
  ['/v1/predict/rank', 'application/json', JSON.stringify(FOREST_SITE)],
  ['/v1/surfaces/PSME?max_points=10', '', undefined],
  ['/v1/model', '', undefined],
  ['/v1/usage', '', undefined],
];

const preflight = (path: string, method: string, origin: string) =>
  fetch(service.apiUrl + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'accept,content-encoding,content-type,if-none-match,x-api-key',
    },
  });

const corsHeaders = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

test.each(REQUESTS)(
  'a listed origin may ask %s and read its headers, without credentials',
  async (path, contentType, body) => {
    const method = body === undefined ? 'GET' : 'POST';
    const asked = await preflight(path, method, LISTED);
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, LISTED]);
    expect(asked.headers.get('access-control-allow-methods')!.split(', ')).toContain(method);
    const allowed = asked.headers.get('access-control-allow-headers')!.toLowerCase().split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining(['accept', 'content-encoding', 'content-type', 'if-none-match', 'x-api-key']),
    );
    const headers = {
      'x-api-key': service.key,
      origin: LISTED,
      ...(contentType && { 'content-type': contentType }),
    };
    const answer = await fetch(service.apiUrl + path, { method, headers, ...(body && { body }) });
    await answer.arrayBuffer();
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, LISTED]);
    const exposed = answer.headers.get('access-control-expose-headers')!.toLowerCase().split(', ');
    for (const name of ['etag', 'model-outcomes', 'ratelimit', 'retry-after', 'x-request-id'])
      expect(exposed).toContain(name);
    for (const response of [asked, answer])
      expect(corsHeaders(response)).not.toContain('access-control-allow-credentials');
  },
);

test.each(REQUESTS)(
  'an origin that is not listed may neither ask %s nor read its answer',
  async (path, contentType, body) => {
    const method = body === undefined ? 'GET' : 'POST';
    for (const origin of UNLISTED) {
      const asked = await preflight(path, method, origin);
      expect(corsHeaders(asked)).toEqual([]);
      await expectError(asked, 405, 'method_not_allowed');
      const headers = {
        'x-api-key': service.key,
        origin,
        ...(contentType && { 'content-type': contentType }),
      };
      const answer = await fetch(service.apiUrl + path, { method, headers, ...(body && { body }) });
      await answer.arrayBuffer();
      expect([answer.status, corsHeaders(answer)]).toEqual([200, []]);
      expect(answer.headers.get('vary')).toMatch(/origin/i);
    }
  },
);
