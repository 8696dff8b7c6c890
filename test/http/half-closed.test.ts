import { afterAll, expect, test } from 'vitest';
import { parseErrorBody } from '../support/error-body.js';
import { openSocket, rawRequest, readAnswer } from '../support/raw-http.js';
import { Releases } from '../support/releases.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

const BATCH = JSON.stringify({ requests: Array(500).fill(PREDICT_REQUEST) });

const releases = new Releases();

afterAll(() => releases.remove());
releases.put(2);
releases.replaceModels({ idleProducts: 30 }); // each batch takes the only worker long enough for another to arrive and wait
const service = await serviceOfFile({
  ...releases.environment,
  CACHE_BYTES: '0',
  WORKERS: '1',
  REQUEST_TIMEOUT_MS: '60000',
});

/** Sends a batch, and closes the caller's side at once. */
async function sendHalfClosed() {
  const { secret } = await service.issueKey('hypha');
  const socket = await openSocket(service.apiUrl);
  const headers = [
    `X-API-Key: ${secret}`,
    'Content-Type: application/json',
    `Content-Length: ${BATCH.length}`,
  ];
  socket.end(rawRequest('POST /v1/predict/batch HTTP/1.1', headers, BATCH));
  return readAnswer(socket);
}

test('a batch that need not wait is answered although its caller has closed his side', async () => {
  const { status, body } = await sendHalfClosed();
  expect(status).toBe(200);
  expect(JSON.parse(body.toString()).results).toHaveLength(500);
});

test('a batch that had to wait and whose caller closed his side meanwhile gets a 503 that says so, and is not started', async () => {
  const others = Array.from({ length: 5 }, () => service.post('/v1/predict/batch', BATCH));
  const { status, headers: answered, body } = await sendHalfClosed();
  expect(status).toBe(503);
  expect(answered.get('retry-after')).toBe('1');
  expect(parseErrorBody(body)).toMatchObject({
    code: 'overloaded',
    message: expect.stringContaining('closed for sending meanwhile'),
  });
  await Promise.all(others);
});
