import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, expect, test } from 'vitest';
import { expectError } from '../support/error-body.js';
import { LogLines } from '../support/log-lines.js';
import { Releases } from '../support/releases.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { serviceOfFile } from '../support/service.js';

const TIMEOUT_MS = 2000;
const BATCH = JSON.stringify({ requests: Array(500).fill(PREDICT_REQUEST) });
const PATHS = ['/v1/predict', '/v1/predict/compare'];

const releases = new Releases();
const log = new LogLines();

afterAll(() => releases.remove());
releases.put(2);
releases.replaceModels({ idleProducts: 20 }); // or a fast machine would answer most of the batches in time
const service = await serviceOfFile(
  {
    ...releases.environment,
    CACHE_BYTES: '0',
    WORKERS: '1',
    SINGLE_SITES: 'workers',
    REQUEST_TIMEOUT_MS: String(TIMEOUT_MS),
  },
  undefined,
  log,
);

test('an unanswered request gets its 503 when the timeout has passed since its arrival, whatever it waited for', async () => {
  const batches = Array.from({ length: 38 }, () => service.post('/v1/predict/batch', BATCH));
  const singles = PATHS.map((path) => service.post(path, PREDICT_REQUEST));
  const stalls = monitorEventLoopDelay();
  stalls.enable();
  const responses = await Promise.all([...batches, ...singles]);
  stalls.disable();
  const late = responses.filter(({ status }) => status !== 200);
  expect(late.length).toBeGreaterThan(4);
  for (const response of late) {
    const id = response.headers.get('x-request-id');
    const { message } = await expectError(response, 503, 'overloaded');
    expect(message).toBe(`The request timed out after ${TIMEOUT_MS} ms: try again shortly.`);
    expect(response.headers.get('retry-after')).toBe('1');
    const { duration_ms } = await log.find(
      (line) => line.request_id === id && line.duration_ms !== undefined,
    );
    // Two deadlines in sequence would take twice the timeout.
    expect(duration_ms).toBeGreaterThan(TIMEOUT_MS - 10);
    expect(duration_ms).toBeLessThan(1.5 * TIMEOUT_MS + stalls.max / 1e6);
  }
});
