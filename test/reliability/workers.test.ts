import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { Client } from '../support/kept-load.js';
import { amount, IS_LONG } from '../support/length.js';
import { PREDICT_REQUEST } from '../support/requests.js';
import { ServiceProcess } from '../support/service-process.js';
import { reportFigures } from './support/figures.js';
import { readMetrics } from './support/metrics.js';
import { askForAll, MixedLoad } from './support/mixed-load.js';
import { HYPHA_SIZES, mixedRequests } from './support/mixed-requests.js';

const MORTAL_WORKERS = fileURLToPath(new URL('./support/mortal-workers.mjs', import.meta.url));
const WORKERS = 2;
const BATCH = { requests: Array(200).fill(PREDICT_REQUEST) };

/** The real service, whose workers die in the middle of a run at SIGUSR2. */
async function startWithFailingWorkers(death: string) {
  const service = new ServiceProcess({
    WORKERS: String(WORKERS),
    CACHE_BYTES: '0', // every row goes through a model
    REQUEST_TIMEOUT_MS: '60000', // nothing is late, however busy the machine
    NODE_OPTIONS: `--import=${MORTAL_WORKERS} --max-old-space-size=128`,
    DEATH: death,
  });
  /** Failures of workers in the log. */
  const failures = () => service.output.filter((line) => line.includes('"msg":"a worker failed"')).length;
  const [addresses, key] = [await service.ready(), await service.firstKey()];
  return { service, failures, ...addresses, key };
}

const MIX = mixedRequests(HYPHA_SIZES);

test.each([
  { death: 'throw', long: 200 },
  { death: 'exit', long: 200 },
  { death: 'memory', long: 50 },
  ...(IS_LONG ? [{ death: 'exit, with a late return', long: 2 }] : []),
])(
  'repeated failures of workers by $death in the middle of batches lose no request',
  async ({ death, long }) => {
    const deaths = amount({ short: 1, long });
    const { service, failures, api, ops, key } = await startWithFailingWorkers(death);
    const load = new MixedLoad({ api, key }, await askForAll({ api, key }, MIX));
    const ready = async () => (await readMetrics(ops)).value('nurselog_workers_ready');
    let longestMs = 0;
    for (let died = 1; died <= deaths; died++) {
      service.signal('SIGUSR2');
      // Logged when the thread has left the pool, before its rows go to another.
      await load.until(() => expect(failures()).toBeGreaterThanOrEqual(died));
      const diedMs = performance.now();
      await load.until(async () => expect(await ready()).toBe(WORKERS));
      longestMs = Math.max(longestMs, performance.now() - diedMs);
    }
    await load.stop();
    expect(service.errors).toBe('');
    reportFigures(`workers: ${death}`, {
      deaths,
      requests: load.requests,
      'longest recovery ms': longestMs,
      ...Object.fromEntries(load.answered),
    });
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  },
  1_200_000,
);

test.each(IS_LONG ? [1, WORKERS] : [WORKERS])(
  'if %i of 2 workers are lost for good, the service is degraded, not ready and ends with a code, and no request hangs',
  async (lost) => {
    const { service, failures, api, ops, key } = await startWithFailingWorkers('for good');
    const ends: Promise<number | string>[] = [];
    const send = async () => {
      const client = new Client(api, key);
      onTestFinished(() => client.close());
      const { status } = await client.post('/v1/predict/batch', BATCH);
      return status;
    };
    let ordered = 0;
    const lostMs = performance.now();
    let isOver = false;
    void service.exit.then(() => {
      isOver = true;
    });
    const seen = new Set<string>();
    while (!isOver) {
      if (ordered < lost && failures() >= ordered) {
        service.signal('SIGUSR2');
        ordered++;
      }
      ends.push(send().catch(({ code }: NodeJS.ErrnoException) => String(code)));
      // In the last round the process may be gone.
      await lookAt(api, ops, seen).catch(() => {});
      await delay(100);
    }
    const endedMs = performance.now() - lostMs;
    expect(await service.exit).toEqual({ code: null, signal: 'SIGKILL' });
    if (IS_LONG) expect(endedMs).toBeLessThan(10_000);
    expect(seen).toContain('/v1/health 503 degraded');
    expect(seen).toContain('/readyz 503 not ready');
    await service.line(/"level":60.*workers were lost and not replaced/);
    // Each had its answer, or its connection ended with the process.
    for (const end of await Promise.all(ends))
      expect([200, 500, 503, 'ECONNRESET', 'ECONNREFUSED']).toContain(end);
    reportFigures(`workers: ${lost} of ${WORKERS} lost for good`, {
      requests: ends.length,
      'end after ms': endedMs,
    });
  },
);

/** Adds what health and readiness say. */
async function lookAt(api: string, ops: string, seen: Set<string>): Promise<void> {
  for (const url of [`${api}/v1/health`, `${ops}/readyz`]) {
    const answer = await fetch(url);
    const { status } = (await answer.json()) as { status: string };
    seen.add(`${new URL(url).pathname} ${answer.status} ${status}`);
  }
}
