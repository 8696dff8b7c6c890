import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { ExplainedError } from '../../src/output/explained-error.js';
import type { PredictorData } from '../../src/prediction/predictor-data.js';
import { Job } from '../../src/work/job.js';
import type { JobAnswers } from '../../src/work/job-answers.js';
import { Run } from '../../src/work/scheduler.js';
import { WorkerPool } from '../../src/work/worker-pool.js';
import { readPredictorData } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { expectRefusal } from '../prediction/support/artefact-refusal.js';
import { encodeConstantModel, soundModel } from '../prediction/support/constant-model.js';
import { randomRequests, rowsOf } from '../prediction/support/site-requests.js';
import { WorkerThreads } from './support/worker-threads.js';

const GENERATED_AT = new Date('2026-11-20T12:00:00Z');
const data = readPredictorData();
const [manual, droneSeeded] = data.modelFiles;
const threads = new WorkerThreads();
afterAll(() => threads.stopWatching());

async function withPool(
  size: number,
  given: PredictorData,
  check: (pool: WorkerPool, events: (string | number)[]) => Promise<void>,
  runTimeoutMs = 600_000,
): Promise<void> {
  /** Messages of errors, and the ready workers at each change. */
  const events: (string | number)[] = [];
  const pool: WorkerPool = new WorkerPool(size, given, runTimeoutMs, {
    onError: ({ message }) => events.push(message),
    onReadyChange: () => events.push(pool.ready),
  });
  try {
    await check(pool, events);
  } finally {
    await pool.close();
  }
}

const someRows = rowsOf(randomRequests(data, 20, seededRandom(3), 0.4), GENERATED_AT, data);

/** The elements of the answers to some rows, once a worker is free. */
async function answerSome(pool: WorkerPool): Promise<string[]> {
  while (pool.free === 0) await new Promise<void>((resolve) => onFree(pool, resolve));
  const request = { keyId: 'key', rows: someRows, deadlineMs: Infinity };
  const job = new Job<JobAnswers>(request, () => {});
  pool.start(new Run([{ job, firstRow: 0, count: someRows.count }], () => {}));
  return Array.from((await job.result).elements(), String);
}

/** Calls back once, in the order in which it was asked. */
function onFree(pool: WorkerPool, callback: () => void): void {
  const before = pool.onFree;
  pool.onFree = () => {
    pool.onFree = before;
    callback();
    before();
  };
}

test.each([1, 3])(
  'a pool of %d workers is warm when every worker is, and no thread outlives it',
  async (size) => {
    await withPool(size, data, async (pool) => {
      expect(pool.ready).toBe(0);
      await pool.warmUp();
      expect(pool.ready).toBe(size);
      expect(threads.count).toBe(size);
    });
    expect(threads.count).toBe(0);
  },
);

test('a model that breaks the contract is rejected with its file', async () => {
  const sound = soundModel(data.manifest.features.length);
  const rising = { survival: [0.2, 0.3, 0.4], baseline: [0.2, 0.3, 0.4] };
  const modelFiles = [{ ...manual, bytes: encodeConstantModel({ ...sound, ...rising }) }, droneSeeded];
  await withPool(2, { ...data, modelFiles }, async (pool) => {
    await expectRefusal(() => pool.warmUp(), manual.path, 'survival');
    expect(pool.ready).toBe(0);
  });
});

test('a worker that dies while it opens the models ends the start at once, with the reason', async () => {
  threads.killNext();
  await withPool(2, data, async (pool) => {
    const failure = await pool.warmUp().catch((error: Error) => error);
    expect(failure).toBeInstanceOf(ExplainedError);
    expect(failure).toHaveProperty('message', expect.stringContaining('worker exited with code'));
  });
  threads.letLive();
});

test('every worker gives the same answers to the same rows, including the replacements of workers that died while idle', async () => {
  await withPool(2, data, async (pool, events) => {
    await pool.warmUp();
    const [before, others] = await Promise.all([answerSome(pool), answerSome(pool)]);
    expect(others).toEqual(before);
    await threads.terminateAll();
    expect(pool.ready).toBe(0);
    expect(await answerSome(pool)).toEqual(before);
    expect(events).not.toContain('a worker ended while it opened the models');
  });
});

test('the remaining workers answer while others are missing', async () => {
  await withPool(2, data, async (pool, events) => {
    await pool.warmUp();
    await threads.loseOne();
    expect(pool.ready).toBe(1);
    await expect.poll(() => events).toContain('a worker ended while it opened the models');
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await answerSome(pool));
    for (const elements of answers) expect(elements).toEqual(answers[0]);
    threads.letLive();
  });
});

test('a worker that takes too long for a run is not ready until it returns', async () => {
  const slow = encodeConstantModel({ ...soundModel(data.manifest.features.length), idleProducts: 20 });
  const modelFiles = data.modelFiles.map((file) => ({ ...file, bytes: slow }));
  await withPool(
    1,
    { ...data, modelFiles },
    async (pool, events) => {
      await pool.warmUp();
      events.length = 0;
      await answerSome(pool);
      expect(events).toEqual(['a worker did not return from a run within 1 ms', 0, 1]);
    },
    1,
  );
});

test('a worker that answers while the process is paused has not taken too long', async () => {
  const check = async (pool: WorkerPool, events: (string | number)[]) => {
    await pool.warmUp();
    events.length = 0;
    const answers = answerSome(pool);
    await nextTurn(); // timers come next
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
    await answers;
    expect(events).toEqual([]);
  };
  await withPool(1, data, check, 2000);
});
