import { expect, test } from 'vitest';
import { csvOf, TABLE_PATH } from '../http/support/tables.js';
import { PLAN_REQUEST } from '../http/support/units.js';
import { answersOn } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { sharedService } from '../support/service.js';

const BODY = JSON.stringify(PREDICT_REQUEST);
const SMUGGLED = 'GET /v1/health HTTP/1.1\r\nHost: x\r\nX-Request-Id: smuggled\r\n\r\n';
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const CHUNKED_BODY = chunked(BODY);

const service = await sharedService();

const answersTo = (bytes: string) => answersOn(service.apiUrl, bytes);

const post = (
  headers: readonly string[],
  body: string,
  path = '/v1/predict',
  contentType = 'application/json',
) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    `X-API-Key: ${service.key}`,
    `Content-Type: ${contentType}`,
    'X-Request-Id: first',
    ...headers,
    '',
    body,
  ].join('\r\n');

const LENGTH = `Content-Length: ${BODY.length}`;
const CHUNKED = 'Transfer-Encoding: chunked';
test.each([
  ['Transfer-Encoding after Content-Length', [LENGTH, CHUNKED], CHUNKED_BODY],
  ['Transfer-Encoding before Content-Length', [CHUNKED, 'Content-Length: 4'], CHUNKED_BODY],
  ['two equal Content-Lengths', [LENGTH, LENGTH], BODY],
  ['a list of lengths', [`Content-Length: ${BODY.length}, ${BODY.length}`], BODY],
  ['a signed length', [`Content-Length: +${BODY.length}`], BODY],
  ['a negative length', ['Content-Length: -1'], BODY],
  ['a hexadecimal length', ['Content-Length: 0x10'], BODY],
  ['a length beyond 64 bits', ['Content-Length: 18446744073709551616'], BODY],
  ['a blank before the colon of Content-Length', [`Content-Length : ${BODY.length}`], BODY],
  ['a blank before the colon of Transfer-Encoding', ['Transfer-Encoding : chunked'], CHUNKED_BODY],
  ['a tab before the colon', ['Transfer-Encoding\t: chunked'], CHUNKED_BODY],
  ['chunked that is not last', ['Transfer-Encoding: chunked, identity'], CHUNKED_BODY],
  ['a coding that nobody knows', ['Transfer-Encoding: xchunked'], CHUNKED_BODY],
  ['two Transfer-Encodings', ['Transfer-Encoding: identity', 'Transfer-Encoding: identity'], CHUNKED_BODY],
  ['a folded Transfer-Encoding', ['Transfer-Encoding:', ' chunked'], CHUNKED_BODY],
  ['a header after a lone LF', [`X: y\n${CHUNKED}`], CHUNKED_BODY],
  ['a header after a lone CR', [`X: y\r${CHUNKED}`], CHUNKED_BODY],
  ['a NUL in a header', ['X: y\0'], ''],
  ['a chunk longer than 64 bits', [CHUNKED], `fffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`],
  ['a signed chunk', [CHUNKED], CHUNKED_BODY.replace(/^/, '+')],
  ['a chunk in 0x', [CHUNKED], CHUNKED_BODY.replace(/^/, '0x')],
  ['a chunk without its end', [CHUNKED], CHUNKED_BODY.replace(`${BODY}\r\n`, BODY)],
  ['a chunk that ends in LF', [CHUNKED], CHUNKED_BODY.replace(`${BODY}\r\n`, `${BODY}\n`)],
  ['a chunk size that ends in LF', [CHUNKED], CHUNKED_BODY.replace('\r\n', '\n')],
  ['a chunk size that ends in CR', [CHUNKED], CHUNKED_BODY.replace('\r\n', '\r')],
  ['a chunk extension of a lone LF', [CHUNKED], CHUNKED_BODY.replace('\r\n', ';a\nb\r\n')],
  ['another coding before chunked', ['Transfer-Encoding: gzip, chunked'], CHUNKED_BODY],
  ['chunked twice', ['Transfer-Encoding: chunked, chunked'], CHUNKED_BODY],
  ['chunked in two headers', ['Transfer-Encoding: gzip', CHUNKED], CHUNKED_BODY],
  ['a second, different Host', ['Host: y', LENGTH], BODY],
  ['a second, equal Host', ['host: x', LENGTH], BODY],
])('a request with %s is 400 and ends the connection', async (_name, headers, body) => {
  expect((await answersTo(post(headers, body) + SMUGGLED)).ids).not.toContain('smuggled');
  expect((await answersTo(post(headers, body) + SMUGGLED)).statuses).toEqual([400]);
});

test.each([
  [TABLE_PATH, 'text/csv', csvOf(Array(20).fill(PREDICT_REQUEST))],
  ['/v1/plan', 'application/json', JSON.stringify(PLAN_REQUEST)],
])(
  '%s ends the connection where the end of its body is ambiguous, and answers no request within it',
  async (path, type, body) => {
    const length = `Content-Length: ${body.length}`;
    for (const [headers, sent] of [
      [[length, CHUNKED], chunked(body)],
      [['Transfer-Encoding: gzip, chunked'], chunked(body)],
      [['Transfer-Encoding : chunked'], chunked(body)],
      [[length, length], body],
      [[`Content-Length: +${body.length}`], body],
      [[CHUNKED], chunked(body).replace(/^/, '0x')],
      [[CHUNKED], chunked(body).replace('\r\n', '\n')],
    ] as const) {
      const { statuses, ids } = await answersTo(post(headers, sent, path, type) + SMUGGLED);
      expect([headers, statuses]).toEqual([headers, [400]]);
      expect(ids).not.toContain('smuggled');
    }
    for (const [header, sent] of [
      [`Content-Length: ${SMUGGLED.length}`, SMUGGLED],
      [CHUNKED, chunked(SMUGGLED)],
    ])
      expect((await answersTo(post([header], sent, path, type))).ids).toEqual(['first']);
  },
);

test('a request inside a body is never answered, whatever the response to the outer one', async () => {
  const length = `Content-Length: ${SMUGGLED.length}`;
  const paths = ['/v1/predict', '/v1/predict/batch', '/v1/health', '/v1/species', '/nothing', '/v1/%zz'];
  for (const path of paths) {
    for (const method of ['POST', 'GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
      for (const outer of [post([length], SMUGGLED, path), post([CHUNKED], chunked(SMUGGLED), path)]) {
        const { statuses, ids } = await answersTo(outer.replace(/^POST/, method));
        expect([path, method, statuses.length, ids]).toEqual([path, method, 1, ['first']]);
      }
    }
  }
});

test.each(['2.0', '1.2', '0.9', '1.10', '3'])(
  'a request with HTTP/%s is 400 and ends the connection',
  async (version) => {
    for (const path of ['/v1/predict', '/nothing', '/v1/%zz']) {
      const request = post([LENGTH], BODY, path).replace('HTTP/1.1', `HTTP/${version}`);
      expect((await answersTo(request + SMUGGLED)).statuses).toEqual([400]);
    }
  },
);

test('an HTTP/1.0 request with a Transfer-Encoding is 400 and ends the connection', async () => {
  const request = post([CHUNKED], CHUNKED_BODY).replace('HTTP/1.1', 'HTTP/1.0');
  expect((await answersTo(request + SMUGGLED)).statuses).toEqual([400]);
});

test('a target in absolute form is routed by its path, whatever host it names', async () => {
  for (const origin of ['http://x', 'https://y:1', 'HTTP://z', 'http://x:99999', 'http://%']) {
    const request = post([LENGTH, 'Connection: close'], BODY, `${origin}/v1/predict`);
    expect((await answersTo(request)).statuses).toEqual([200]);
    const wrongMethod = request.replace('POST', 'PUT');
    expect((await answersTo(wrongMethod)).statuses).toEqual([405]);
  }
});

test('a trailer is not read as a header', async () => {
  const trailer = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\nX-Request-Id: smuggled\r\nX-API-Key: x\r\n\r\n`;
  expect(await answersTo(post([CHUNKED], trailer))).toMatchObject({ statuses: [200], ids: ['first'] });
});
