import { expect, test } from 'vitest';
import { parseErrorBody } from '../support/error-body.js';
import { LogLines } from '../support/log-lines.js';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { serviceOfFile } from '../support/service.js';

const API = ['/v1/predict', '/v1/predict/batch', '/v1/health', '/docs', '/v1', ''];
const OPS = ['/livez', '/readyz', '/metrics', ''];

/** What routers take as patterns, whole and broken. */
const PATTERNS = [
  ':a(',
  ':a(\\S)',
  '/:a((a+)+)',
  '/:a(.*)',
  '/*x',
  '/*',
  '/:',
  '/:a:b',
  '/:a?',
  '(a+)+$',
  '[',
  '/:a(\\p{L})',
  `/:a(${'(a|'.repeat(500)}`,
];

const log = new LogLines();

const service = await serviceOfFile({ LOG_LEVEL: 'trace' }, undefined, log);

test('a path in the syntax of a route pattern is 404 on both listeners, and no error is logged', async () => {
  for (const [url, paths] of [
    [service.apiUrl, API],
    [service.opsUrl, OPS],
  ] as const) {
    for (const target of paths.flatMap((path) => PATTERNS.map((pattern) => path + pattern))) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const path = target.startsWith('/') ? target : `/${target}`;
        const { status, body } = await sendRaw(url, rawRequest(`${method} ${path} HTTP/1.1`, []));
        expect([path, status, parseErrorBody(body).code]).toEqual([path, 404, 'not_found']);
      }
    }
  }
  expect(log.all.filter(({ level }) => (level as number) > 30)).toEqual([]);
});

test('a key in a path in pattern syntax is neither in the response nor in the log', async () => {
  const digits = service.key.slice(-32);
  for (const path of [`/v1/:a([${service.key})`, `/v1/:a(${service.key}`, `/v1/*${service.key}`]) {
    for (const url of [service.apiUrl, service.opsUrl]) {
      const { status, body } = await sendRaw(url, rawRequest(`GET ${path} HTTP/1.1`, []));
      expect(status).toBe(404);
      expect(body).not.toContain(digits);
    }
  }
  expect(JSON.stringify(log.all)).not.toContain(digits);
});
