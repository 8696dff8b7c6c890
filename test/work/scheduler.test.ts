import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openPredictor } from '../../src/prediction/open-predictor.js';
import type { Predictor } from '../../src/prediction/predictor.js';
import { ROW_STATUS } from '../../src/prediction/site-rows.js';
import { type Job, JobError } from '../../src/work/job.js';
import type { JobAnswers } from '../../src/work/job-answers.js';
import { MainThreadExecutor } from '../../src/work/main-thread-executor.js';
import { Scheduler } from '../../src/work/scheduler.js';
import { placeOf, readPredictorData } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { answer, elementsOf } from '../prediction/support/elements.js';
import { randomRequests, rowsOf, type SiteRequest } from '../prediction/support/site-requests.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { eventually } from '../support/eventually.js';
import { GatedWorkers } from './support/gated-workers.js';
import { WorkerThreads } from './support/worker-threads.js';

const GENERATED_AT = new Date('2026-11-20T12:00:00Z');
const WORKERS = 2;

const data = readPredictorData();
const random = seededRandom(12);
let workers: GatedWorkers;
/** Answers in this thread, for comparison with the workers. */
let predictor: Predictor;
let scheduler: Scheduler;

beforeAll(async () => {
  workers = await GatedWorkers.start(WORKERS, data);
  predictor = await openPredictor(data);
});
beforeEach(() => {
  scheduler = new Scheduler(workers, 100_000);
});
afterEach(async () => {
  workers.release();
  await untilIdle();
  workers.reset();
});
afterAll(() => workers.pool.close());

const requestsOf = (count: number) => randomRequests(data, count, random, 0.4, ['site']);
const submit = (keyId: string, requests: readonly SiteRequest[], timeoutMs = 60_000): Job<JobAnswers> =>
  scheduler.submit({
    keyId,
    rows: rowsOf(requests, GENERATED_AT, data),
    deadlineMs: performance.now() + timeoutMs,
  });
const submitAny = (keyId: string, count: number, timeoutMs?: number) =>
  submit(keyId, requestsOf(count), timeoutMs);
const untilIdle = () => eventually(() => expect(scheduler.isIdle).toBe(true));
const totalRuns = () => workers.runs.reduce((sum, rows) => sum + rows);

async function expectAnswersTo(requests: readonly SiteRequest[], job: Job<JobAnswers>): Promise<void> {
  const answers = await job.result;
  const expected = await answer(predictor, data, rowsOf(requests, GENERATED_AT, data));
  const failed = [...expected.status.entries()].filter(([, status]) => status !== ROW_STATUS.answered);
  expect([...answers.unanswered()]).toEqual(failed);
  const inserted = new Map(failed.map(([row]) => [row, `"row ${row}"`]));
  const elements = elementsOf(expected).map((element, row) => inserted.get(row) ?? element);
  expect(String(answers.join('{"a":[', inserted, '],"b":1}'))).toBe(`{"a":[${elements.join()}],"b":1}`);
}

test.each([1, 2, 3, 249, 251, 500, 3000])(
  'a job of %d rows is answered in the order of its rows, in runs of at most 500',
  async (count) => {
    const requests = requestsOf(count);
    await expectAnswersTo(requests, submit('key', requests));
    expect(totalRuns()).toBe(count);
    expect(Math.max(...workers.runs)).toBeLessThanOrEqual(500);
  },
);

test('a job is spread evenly over the workers that are free', async () => {
  await submitAny('key', 400).result;
  expect(workers.runs).toEqual([200, 200]);
});

test('rows of many small requests share a run, and each request gets its own answers', async () => {
  workers.hold();
  const jobs = Array.from({ length: 100 }, (_, i) => {
    const requests = requestsOf(1 + (i % 2));
    return { requests, job: submit(`key ${i % 7}`, requests) };
  });
  expect(scheduler.waitingSites).toBe(150);
  workers.release();
  for (const { requests, job } of jobs) await expectAnswersTo(requests, job);
  expect(workers.runs).toEqual([75, 75]);
});

/** Has the one worker of a scheduler die with its first run. */
async function withMortalWorker(check: (single: GatedWorkers) => Promise<void>): Promise<void> {
  const ownThread = new WorkerThreads();
  const single = await GatedWorkers.start(1, data);
  try {
    scheduler = new Scheduler(single, 1000);
    single.beforeStart = () => {
      // Before the order, so that the thread ends without entering onnxruntime, which would abort the process.
      if (single.runs.length === 1) void ownThread.terminateAll();
    };
    await check(single);
  } finally {
    await single.pool.close();
    ownThread.stopWatching();
  }
}

test('the rows of a worker that died are given to another one', async () => {
  await withMortalWorker(async (single) => {
    const requests = requestsOf(200);
    await expectAnswersTo(requests, submit('key', requests));
    expect(single.runs).toEqual([200, 200]);
  });
});

test('rows whose worker died are not given to another one once their caller has hung up', async () => {
  await withMortalWorker(async (single) => {
    const job = submitAny('key', 200);
    job.giveUp('abandoned');
    await expect(job.result).rejects.toMatchObject({ kind: 'abandoned' });
    await untilIdle(); // when the run has failed
    const requests = requestsOf(3);
    await expectAnswersTo(requests, submit('key', requests));
    expect(single.runs).toEqual([200, 3]);
  });
});

test('a job whose rows no worker can answer fails, and the other jobs of its run do not', async () => {
  const [impossible] = requestsOf(1);
  const request = { ...impossible, ...placeOf(data.grid, 0), species: 250, method: 'manual' } as SiteRequest;
  const single = await GatedWorkers.start(1, data);
  onTestFinished(() => single.pool.close());
  scheduler = new Scheduler(single, 1000);
  single.hold();
  const others = [requestsOf(10), requestsOf(20)];
  const before = submit('a', others[0]);
  const failing = submit('b', [request]);
  const after = submit('c', others[1]);
  single.release();
  await expect(failing.result).rejects.not.toBeInstanceOf(JobError);
  await expectAnswersTo(others[0], before);
  await expectAnswersTo(others[1], after);
  expect(single.runs).toEqual([31, 31, 10, 1, 20]);
});

test('a job knows how long it waited for a worker and how long the models took', async () => {
  workers.hold();
  // One row, for one worker: the time in the models is summed over all that had rows of a job.
  const requests = requestsOf(1).map((request) => ({ ...request, ...placeOf(data.grid, 0) }));
  const submittedMs = performance.now();
  const job = submit('key', requests);
  const heldUntilMs = performance.now() + 5;
  while (performance.now() < heldUntilMs);
  workers.release();
  await job.result;
  const elapsedMs = performance.now() - submittedMs;
  expect(job.inferenceMs).toBeGreaterThan(0);
  expect(job.queueMs).toBeGreaterThanOrEqual(5);
  expect(job.queueMs + job.inferenceMs).toBeLessThanOrEqual(elapsedMs);
});

test('an idle scheduler, and its models, can be collected long before the deadline of its last job', async () => {
  const useOne = async () => {
    const used = new Scheduler(new MainThreadExecutor(data), 1);
    const rows = rowsOf(requestsOf(1), GENERATED_AT, data);
    const job = used.submit({ keyId: 'key', rows, deadlineMs: performance.now() + 3_600_000 });
    await job.result;
    await eventually(() => expect(used.isIdle).toBe(true));
    return new WeakRef(used);
  };
  const used = await useOne();
  await eventually(() => {
    collectGarbage();
    // Not given to `expect`, whose error would hold it.
    expect(used.deref() === undefined).toBe(true);
  });
});
