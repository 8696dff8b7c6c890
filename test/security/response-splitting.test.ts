import { expect, test } from 'vitest';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { sharedService } from '../support/service.js';

const SPLIT = '\r\nSet-Cookie: split=1\r\n\r\n<html>';

/** Texts that end a line, also if decoded or truncated to bytes: U+560A and U+560D end in the bytes of LF and CR. */
const LINE_ENDS = {
  'CR LF': '\r\n',
  'a lone CR': '\r',
  'a lone LF': '\n',
  'percent-encoded CR LF': '%0d%0a',
  'twice encoded CR LF': '%250d%250a',
  'a NUL': '\0',
  'a vertical tab': '\v',
  'a DEL': '\x7f',
  'UTF-8 that narrows to CR LF': '\u560d\u560a',
  'a line separator': '\u2028',
};

const service = await sharedService();
const key = `X-API-Key: ${service.key}`;

/** Sends a request and expects exactly one answer, with only the headers that the service sets. */
async function expectWhole(request: string): Promise<string> {
  const { status, headers, body } = await sendRaw(service.apiUrl, request);
  expect([...headers.keys()]).not.toContain('set-cookie');
  expect([...headers.values()].join()).not.toContain('split=1');
  expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  expect(Buffer.byteLength(body)).toBe(Number(headers.get('content-length')));
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(() => JSON.parse(body)).not.toThrow();
  return `${status}`;
}

for (const [name, end] of Object.entries(LINE_ENDS)) {
  const value = `a${end}Set-Cookie: split=1`;

  test(`${name} in a request header does not reach the response headers`, async () => {
    for (const header of ['X-Request-Id', 'X-API-Key', 'Accept-Encoding', 'Host', 'Content-Type'])
      await expectWhole(rawRequest('POST /v1/predict HTTP/1.1', [`${header}: ${value}`]));
  });

  test(`${name} in the path or the method does not reach the response headers`, async () => {
    for (const line of [
      `GET /v1/${end} HTTP/1.1`,
      `GET /v1/health?${end} HTTP/1.1`,
      `GET${end} /v1/health HTTP/1.1`,
    ])
      await expectWhole(rawRequest(line, [key]));
  });

  test(`${name} in a field that an error repeats does not reach the response headers`, async () => {
    for (const field of ['species_code', 'planting_method', 'latitude', 'horizons']) {
      const body = JSON.stringify({ ...PREDICT_REQUEST, [field]: `a${end}${SPLIT}` });
      const headers = [key, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
      expect(await expectWhole(rawRequest('POST /v1/predict HTTP/1.1', headers, body))).toBe('422');
    }
  });
}
