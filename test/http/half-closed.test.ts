import { afterAll, expect, test } from 'vitest';
import { parseErrorBody } from '../support/error-body.js';
import { openSocket, rawRequest, readAnswer } from '../support/raw-http.js';
import { Releases } from '../support/releases.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';
import { collection, unit } from './support/units.js';

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

/** Sends a request, and closes the caller's side at once. */
async function sendHalfClosed(path = '/v1/predict/batch', body = BATCH) {
  const { secret } = await service.issueKey('hypha');
  const socket = await openSocket(service.apiUrl);
  const length = `Content-Length: ${body.length}`;
  const headers = [`X-API-Key: ${secret}`, 'Content-Type: application/json', length];
  socket.end(rawRequest(`POST ${path} HTTP/1.1`, headers, body));
  return readAnswer(socket);
}

test('a batch that need not wait is answered although its caller has closed its side', async () => {
  const { status, body } = await sendHalfClosed();
  expect(status).toBe(200);
  expect(JSON.parse(body.toString()).results).toHaveLength(500);
});

test('a batch that had to wait and whose caller closed its side meanwhile gets a 503 that says so, and is not started', async () => {
  const others = Array.from({ length: 5 }, () => service.post('/v1/predict/batch', BATCH));
  const { status, headers: answered, body } = await sendHalfClosed();
  expect(status).toBe(503);
  expect(answered.get('retry-after')).toBe('1');
  const { code, message } = parseErrorBody(body);
  expect([code, message]).toEqual([
    'overloaded',
    expect.stringContaining('closed for sending while the request waited'),
  ]);
  await Promise.all(others);
});

test('a plan whose caller closes its side before the answer begins gets a 400, which counts as a 5xx would not', async () => {
  const plan = JSON.stringify({ units: collection(unit('stand')), species_codes: ['PSME'] });
  expect((await sendHalfClosed('/v1/plan', plan)).status).toBe(400);
});
