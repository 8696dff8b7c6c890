import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError, parseErrorBody } from '../support/error-body.js';
import { rawRequest, sendRaw } from '../support/raw-http.js';
import { PREDICT_REQUEST, scatteredSites } from '../support/requests.js';
import { startTestService, type TestService } from '../support/service.js';

const LIMIT_BYTES = 1024 * 1024;

/** A valid body of so many bytes. */
const bodyOf = (bytes: number) => JSON.stringify(PREDICT_REQUEST).padEnd(bytes);

describe('the size of a body', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  /** Sends a body in chunks, without a Content-Length. */
  function sendChunked(body: string) {
    const headers = [
      `X-API-Key: ${service.key}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ];
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    return sendRaw(service.apiUrl, rawRequest('POST /v1/predict HTTP/1.1', headers, chunks));
  }

  it('exactly 1 MiB is accepted, with Content-Length and chunked', async () => {
    expect((await service.post('/v1/predict', bodyOf(LIMIT_BYTES))).status).toBe(200);
    expect((await sendChunked(bodyOf(LIMIT_BYTES))).status).toBe(200);
  });

  it('1 MiB and 1 byte is payload_too_large 413, with Content-Length and chunked', async () => {
    await expectError(await service.post('/v1/predict', bodyOf(LIMIT_BYTES + 1)), 413, 'payload_too_large');
    const { status, body } = await sendChunked(bodyOf(LIMIT_BYTES + 1));
    expect([status, parseErrorBody(body).code]).toEqual([413, 'payload_too_large']);
  });

  it('any batch that a tier allows fits: 500 entries with every field, indented', async () => {
    const requests = scatteredSites(500).map((site) => ({
      ...PREDICT_REQUEST,
      ...site,
      horizons: [1, 3, 5],
      tag: 'x'.repeat(100),
    }));
    const response = await service.post('/v1/predict/batch', JSON.stringify({ requests }, null, 4));
    expect(response.status).toBe(200);
  });
});
