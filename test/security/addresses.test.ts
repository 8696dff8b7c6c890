import { expect, test } from 'vitest';
import { parseErrorBody } from '../support/error-body.js';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { sharedService } from '../support/service.js';

/** Text before, in and after a path that two parsers may read as different paths. */
const PREFIXES = String.raw`/ /. /.. /%2e /%2e%2e /.%2e /%2f /%5c \ /\ /x/.. /x/%2e%2e /..; /%00 /%09`.split(
  ' ',
);
const SEPARATORS = String.raw`// /./ /../ /%2e/ %2f %2F %252f \ %5c /;/ /x/../ %c0%af %ef%bc%8f`.split(' ');
const SUFFIXES = String.raw`/ /. /.. /%2e %2f %5c \ %20 %00 %0a %09 ; ;x=1 .json ~ * %3f %23 /x % %2`.split(
  ' ',
);

const KEYED = {
  GET: ['/v1/species', '/v1/coverage', '/v1/model', '/v1/surfaces/PSME'],
  POST: ['/v1/predict', '/v1/predict/batch', '/v1/predict/compare', '/v1/predict/rank'],
};
const OPS = ['/livez', '/readyz', '/metrics'];

/** Every such spelling of a path, and spellings with other letters. */
function spellingsOf(path: string): string[] {
  const [, ...segments] = path.split('/');
  return [
    ...PREFIXES.map((prefix) => prefix + path),
    ...SEPARATORS.map((separator) => `/${segments.join(separator)}`).filter((spelling) => spelling !== path),
    ...SUFFIXES.map((suffix) => path + suffix),
    path.toUpperCase(),
    path.slice(0, -1) + path.at(-1)!.toUpperCase(),
    path.replace('e', '\u0435'), // a Cyrillic one
    path.replace('e', '%65'),
    path.slice(1),
  ];
}

const service = await sharedService();

const send = (line: string, headers: readonly string[] = []) =>
  sendRaw(service.apiUrl, rawRequest(line, headers));

for (const [method, paths] of Object.entries(KEYED)) {
  test.each(paths)(`no spelling of ${method} %s is answered without a key`, async (path) => {
    for (const spelling of spellingsOf(path)) {
      const { status, body } = await send(`${method} ${spelling} HTTP/1.1`);
      expect([400, 401, 404], `${spelling}: ${status}`).toContain(status);
      expect(parseErrorBody(body).code).toMatch(/^(invalid_request|invalid_api_key|not_found)$/);
    }
  });
}

test.each(OPS)("no spelling of the operators' %s exists on the API, even with a key", async (path) => {
  for (const spelling of [path, ...spellingsOf(path), ...spellingsOf(`/v1/health/..${path}`)]) {
    const { status, body } = await send(`GET ${spelling} HTTP/1.1`, [`X-API-Key: ${service.key}`]);
    expect([400, 404], `${spelling}: ${status}`).toContain(status);
    expect(parseErrorBody(body).code).toMatch(/^(invalid_request|not_found)$/);
  }
});

test('no header and no host redirects a request to another route', async () => {
  const ops = new URL(service.opsUrl).host;
  const rerouted = [
    'X-Original-URL: /metrics',
    'X-Rewrite-URL: /metrics',
    'X-Forwarded-Prefix: /metrics',
    'X-Forwarded-Host: evil.example',
    'Forwarded: host=evil.example',
    'X-HTTP-Method-Override: DELETE',
    'X-HTTP-Method: POST',
    'X-Method-Override: POST',
    `X-Forwarded-Host: ${ops}`,
  ];
  for (const header of rerouted) {
    const { status, body } = await send('GET /v1/health HTTP/1.1', [header]);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ status: 'ok' });
    expect(body).not.toContain('evil');
  }
  for (const target of ['/metrics', `http://${ops}/metrics`, `//${ops}/metrics`]) {
    const { status } = await sendRaw(
      service.apiUrl,
      `GET ${target} HTTP/1.1\r\nHost: ${ops}\r\nConnection: close\r\nX-API-Key: ${service.key}\r\n\r\n`,
    );
    expect(status).toBe(404);
  }
  expect((await send('POST /v1/species?_method=GET HTTP/1.1', ['X-HTTP-Method-Override: GET'])).status).toBe(
    405,
  );
});

test('no Host header changes a response', async () => {
  for (const host of [
    'evil.example',
    'localhost:1',
    '[::1]',
    'evil example',
    '',
    '"><script>',
    'evil@example',
    'x'.repeat(5000),
  ]) {
    const { status, body } = await sendRaw(
      service.apiUrl,
      `GET /openapi.json HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(status, host).toBe(200);
    if (host !== '') expect(body.includes(host)).toBe(false);
  }
});

test('a path of 15,000 characters is 404, one of 20,000 is 431, and neither is repeated whole', async () => {
  for (const [length, expected] of [
    [15_000, 404],
    [20_000, 431],
  ] as const) {
    for (const path of [
      `/v1/${'a'.repeat(length)}`,
      `/${'a/'.repeat(length / 2)}`,
      `/${'%2e'.repeat(length / 3)}`,
    ]) {
      const { status, body } = await send(`GET ${path} HTTP/1.1`);
      expect(status).toBe(expected);
      expect(body.length).toBeLessThan(400);
    }
  }
});
