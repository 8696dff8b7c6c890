import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSocket } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

const BODY = JSON.stringify(PREDICT_REQUEST);
const SMUGGLED = 'GET /v1/health HTTP/1.1\r\nHost: x\r\nX-Request-Id: smuggled\r\n\r\n';
const CHUNKED_BODY = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

describe('where a request ends is never in doubt', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  /** Sends bytes on a connection that the caller would keep, then nothing more; the statuses and ids of all answers. */
  async function answersTo(bytes: string): Promise<{ statuses: number[]; ids: string[] }> {
    const socket = await openSocket(service.apiUrl);
    socket.end(bytes, 'latin1');
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('latin1');
    return {
      statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
      ids: [...text.matchAll(/^x-request-id: (.*)\r$/gm)].map(([, id]) => id!),
    };
  }

  const post = (headers: readonly string[], body: string, path = '/v1/predict') =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: x',
      `X-API-Key: ${service.key}`,
      'Content-Type: application/json',
      'X-Request-Id: first',
      ...headers,
      '',
      body,
    ].join('\r\n');

  const LENGTH = `Content-Length: ${BODY.length}`;
  const CHUNKED = 'Transfer-Encoding: chunked';
  it.each([
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
  ])('%s is 400 and ends the connection', async (_name, headers, body) => {
    expect((await answersTo(post(headers, body) + SMUGGLED)).ids).not.toContain('smuggled');
    expect((await answersTo(post(headers, body) + SMUGGLED)).statuses).toEqual([400]);
  });

  it('a request inside a body is never a request, however its outer one is answered', async () => {
    const length = `Content-Length: ${SMUGGLED.length}`;
    const chunks = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`;
    const paths = ['/v1/predict', '/v1/predict/batch', '/v1/health', '/v1/species', '/nothing', '/v1/%zz'];
    for (const path of paths) {
      for (const method of ['POST', 'GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
        for (const outer of [post([length], SMUGGLED, path), post([CHUNKED], chunks, path)]) {
          const { statuses, ids } = await answersTo(outer.replace(/^POST/, method));
          expect([path, method, statuses.length, ids]).toEqual([path, method, 1, ['first']]);
        }
      }
    }
  });

  it('a trailer is no header', async () => {
    const trailer = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\nX-Request-Id: smuggled\r\nX-API-Key: x\r\n\r\n`;
    expect(await answersTo(post([CHUNKED], trailer))).toEqual({ statuses: [200], ids: ['first'] });
  });

  it('what follows a whole request is the next one', async () => {
    for (const first of [post([LENGTH], BODY), post([CHUNKED], CHUNKED_BODY)])
      expect(await answersTo(first + SMUGGLED)).toEqual({ statuses: [200, 200], ids: ['first', 'smuggled'] });
  });
});
