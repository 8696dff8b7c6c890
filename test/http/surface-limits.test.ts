import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { expectError } from '../support/error-body.js';
import { rawRequest } from '../support/raw-http.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile, startTestService } from '../support/service.js';

/** More than a second of CPU. */
const WHOLE_GRID = '/v1/surfaces/PSME?max_points=500000';

const service = await serviceOfFile({ REQUEST_TIMEOUT_MS: '120000' });

test('a surface that takes longer than the request timeout is a 503 that says so, and the service goes on', async () => {
  const impatient = await startTestService({ REQUEST_TIMEOUT_MS: '400' });
  onTestFinished(() => impatient.stop());
  const response = await impatient.get(WHOLE_GRID);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(response.headers.has('etag')).toBe(false);
  const { message } = await expectError(response, 503, 'overloaded');
  expect(message).toContain('timed out after 400 ms');
  expect((await impatient.get('/v1/health')).status).toBe(200);
});

test('other keys and the same key have their turns while a large surface is predicted', async () => {
  const other = { 'x-api-key': (await service.issueKey('hypha')).secret };
  const ended: string[] = [];
  const surface = service.get(WHOLE_GRID, { accept: 'text/csv' }).then((response) => {
    ended.push('surface');
    return response;
  });
  const requests = Array(500).fill(PREDICT_REQUEST);
  for (const headers of [other, {}]) {
    const batch = await service.post('/v1/predict/batch', { requests }, headers);
    expect(((await batch.json()) as { summary: object }).summary).toMatchObject({ successful: 500 });
    ended.push('batch');
  }
  const lines = (await (await surface).text()).split('\r\n');
  expect(ended).toEqual(['batch', 'batch', 'surface']);
  expect(lines.length).toBeGreaterThan(400_000);
});

test('callers who hang up while a surface is predicted or sent leave the service as it was', async () => {
  const { hostname, port } = new URL(service.apiUrl);
  const request = (path: string) => {
    const socket = connect(Number(port), hostname);
    socket.write(rawRequest(`GET ${path} HTTP/1.1`, [`X-API-Key: ${service.key}`]));
    return socket;
  };
  const waiting = request(WHOLE_GRID);
  await once(waiting, 'connect');
  waiting.destroy();
  const reading = request('/v1/surfaces/PSME?max_points=20000');
  await once(reading, 'data');
  reading.destroy();
  const response = await service.get('/v1/surfaces/PSME?max_points=100');
  expect(((await response.json()) as { points: number }).points).toBeGreaterThan(50);
});
