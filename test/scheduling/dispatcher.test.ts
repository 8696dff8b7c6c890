import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BufferPool } from '../../src/pool/buffer-pool.js';
import { MAX_RUN_ROWS } from '../../src/pool/run-buffer.js';
import { openPredictor } from '../../src/prediction/open-predictor.js';
import type { Predictor } from '../../src/prediction/predictor.js';
import { Dispatcher, type JobOutcome, type SubmittedJob } from '../../src/scheduling/dispatcher.js';
import { placeOf, readPredictorData } from '../../testing/project.js';
import { seededRandom } from '../../testing/random.js';
import { ObservedWorkers } from '../pool/support/observed-workers.js';
import { WorkerThreads } from '../pool/support/worker-threads.js';
import { answer, elementsOf } from '../prediction/support/elements.js';
import { randomRequests, rowsOf, type SiteRequest } from '../prediction/support/site-requests.js';

const GENERATED_AT = new Date('2026-11-20T12:00:00Z');
const WORKERS = 2;
/** Rows of a run at most. */

describe('the dispatcher', () => {
  const data = readPredictorData();
  const random = seededRandom(12);
  let workers: ObservedWorkers;
  /** Answers in this thread: what the workers must answer too. */
  let predictor: Predictor;
  let dispatcher: Dispatcher;

  beforeAll(async () => {
    workers = await ObservedWorkers.start(WORKERS, data);
    predictor = await openPredictor(data);
  });
  beforeEach(() => {
    dispatcherWith({});
  });
  afterEach(async () => {
    workers.release();
    await dispatcher.idle();
    workers.reset();
  });
  afterAll(() => workers.pool.close());

  function dispatcherWith({ queueLimitSites = 100_000, requestTimeoutMs = 60_000 }): Dispatcher {
    dispatcher = new Dispatcher(workers, new BufferPool(), { queueLimitSites, requestTimeoutMs });
    return dispatcher;
  }

  const requestsOf = (count: number) => randomRequests(data, count, random);
  const submit = (keyId: string, requests: readonly SiteRequest[]): SubmittedJob =>
    dispatcher.submit(keyId, rowsOf(requests, GENERATED_AT));
  const submitAny = (keyId: string, count: number) => submit(keyId, requestsOf(count));
  const kindOf = async (job: SubmittedJob) => (await job.outcome).kind;

  /** The elements of an answered job, from its slices, which must hold every row once and in order. */
  function elementsOfJob(outcome: JobOutcome): string[] {
    expect(outcome.kind).toBe('answered');
    if (outcome.kind !== 'answered') return [];
    const elements: string[] = [];
    for (const slice of outcome.slices) {
      expect(slice.firstRow).toBe(elements.length);
      elements.push(...elementsOf(slice));
    }
    return elements;
  }

  const expectAnswersTo = async (requests: readonly SiteRequest[], job: SubmittedJob) => {
    const expected = elementsOf(await answer(predictor, data, rowsOf(requests, GENERATED_AT)));
    expect(elementsOfJob(await job.outcome)).toEqual(expected);
  };

  /** Every worker is busy with a row until `release`. */
  const holdAllWorkers = (): SubmittedJob[] => {
    workers.hold();
    return Array.from({ length: WORKERS }, () => submitAny('holder', 1));
  };

  test.each([1, 2, 3, 249, 251, 500, 3000])(
    'answers a job of %d rows in the order of its rows',
    async (count) => {
      const requests = requestsOf(count);
      await expectAnswersTo(requests, submit('key', requests));
      expect(workers.runs.reduce((sum, rows) => sum + rows)).toBe(count);
      expect(Math.max(...workers.runs)).toBeLessThanOrEqual(MAX_RUN_ROWS);
    },
  );

  test('spreads a job evenly over the workers that are free, one run each at a time', async () => {
    await submitAny('key', 400).outcome;
    expect(workers.runs).toEqual([200, 200]);
    await submitAny('key', 3000).outcome;
    expect(workers.mostBusy).toBe(WORKERS);
  });

  test('puts the rows of many small requests together into one run, and each gets its own answers', async () => {
    holdAllWorkers();
    const jobs = Array.from({ length: 100 }, (_, i) => {
      const requests = requestsOf(1 + (i % 2));
      return { requests, job: submit(`key ${i % 7}`, requests) };
    });
    expect(dispatcher.queuedSites).toBe(150);
    workers.release();
    for (const { requests, job } of jobs) await expectAnswersTo(requests, job);
    expect(workers.runs).toEqual([1, 1, 150]);
  });

  test('answers any mix of jobs of several keys, each with its own rows', async () => {
    const jobs = Array.from({ length: 60 }, (_, i) => {
      const requests = requestsOf(i % 3 === 0 ? 1 + Math.floor(500 * random()) : 1);
      return { requests, job: submit(`key ${i % 5}`, requests) };
    });
    for (const { requests, job } of jobs) await expectAnswersTo(requests, job);
    expect(workers.mostBusy).toBe(WORKERS);
    expect(dispatcher.unfinishedJobs).toBe(0);
  });

  test('lets a single row of another key pass a key that has queued thousands', async () => {
    holdAllWorkers();
    const flood = Array.from({ length: 20 }, () => submitAny('flooder', 500));
    const single = submitAny('other', 1);
    workers.release();
    expect(await kindOf(single)).toBe('answered');
    expect(dispatcher.unfinishedJobs).toBeGreaterThan(15);
    for (const job of flood) expect(await kindOf(job)).toBe('answered');
  });

  test('admits a job whole or not at all: one that does not fit leaves no trace', async () => {
    dispatcherWith({ queueLimitSites: 500 });
    const held = holdAllWorkers();
    const waiting = submitAny('key', 400);
    expect(await kindOf(submitAny('key', 101))).toBe('overloaded');
    expect(await kindOf(submitAny('another key', 101))).toBe('overloaded');
    expect(dispatcher.queuedSites).toBe(400);
    expect(dispatcher.unfinishedJobs).toBe(WORKERS + 1);
    const fitting = submitAny('key', 100);
    workers.release();
    for (const job of [...held, waiting, fitting]) expect(await kindOf(job)).toBe('answered');
    expect(workers.runs.reduce((sum, rows) => sum + rows)).toBe(WORKERS + 500);
  });

  test('gives a job up at its deadline and drops what still waits of it', async () => {
    dispatcherWith({ requestTimeoutMs: 30 });
    holdAllWorkers();
    const late = submitAny('key', 500);
    expect(await kindOf(late)).toBe('timed-out');
    expect(dispatcher.queuedSites).toBe(0);
    expect(dispatcher.unfinishedJobs).toBe(0);
    workers.release();
    await dispatcher.idle();
    expect(workers.runs).toEqual([1, 1]);
  });

  test('drops the rows of a job whose caller is gone and answers the others', async () => {
    holdAllWorkers();
    const requests = requestsOf(2);
    const gone = submitAny('key', 500);
    const staying = submit('key', requests);
    dispatcher.abandon(gone);
    expect(await kindOf(gone)).toBe('abandoned');
    expect(dispatcher.queuedSites).toBe(2);
    workers.release();
    await expectAnswersTo(requests, staying);
    expect(workers.runs).toEqual([1, 1, 2]);
  });

  test('answers the other jobs of a run when the caller of one hangs up in the middle of it', async () => {
    holdAllWorkers();
    const requests = requestsOf(3);
    const [gone, staying] = [submitAny('key', 3), submit('key', requests)];
    workers.beforeStart = () => {
      if (workers.runs.at(-1) === 6) dispatcher.abandon(gone);
    };
    workers.release();
    await expectAnswersTo(requests, staying);
    expect(await kindOf(gone)).toBe('abandoned');
  });

  test('leaves a job that is answered as it is when its caller goes afterwards', async () => {
    const job = submitAny('key', 5);
    expect(await kindOf(job)).toBe('answered');
    dispatcher.abandon(job);
    expect(await kindOf(job)).toBe('answered');
  });

  test('gives the rows of a worker that died to another one', async () => {
    const ownThread = new WorkerThreads();
    const single = await ObservedWorkers.start(1, data);
    try {
      dispatcher = new Dispatcher(single, new BufferPool(), {
        queueLimitSites: 1000,
        requestTimeoutMs: 60_000,
      });
      const requests = requestsOf(200);
      single.beforeStart = () => {
        if (single.runs.length === 1) ownThread.terminateAll();
      };
      await expectAnswersTo(requests, submit('key', requests));
      // Handed out twice, the second time to the worker that took the place of the first.
      expect(single.runs).toEqual([200, 200]);
    } finally {
      await single.pool.close();
      ownThread.stopWatching();
    }
  });

  test('fails only the jobs of a run that no worker can answer, and goes on', async () => {
    const [impossible] = requestsOf(1);
    const rows = rowsOf([{ ...impossible!, ...gridPlace(), species: 250, method: 'manual' }], GENERATED_AT);
    const outcome = await dispatcher.submit('key', rows).outcome;
    expect(outcome).toMatchObject({ kind: 'failed', error: expect.any(Error) });
    const requests = requestsOf(10);
    await expectAnswersTo(requests, submit('key', requests));
  });

  test('tells how long a job waited for a worker and how long the models took', async () => {
    const held = holdAllWorkers();
    const requests = requestsOf(100).map((request) => ({ ...request, ...gridPlace() }));
    const submittedMs = performance.now();
    const waiting = submit('key', requests);
    workers.release();
    const [first, second] = [await held[0].outcome, await waiting.outcome];
    const elapsedMs = performance.now() - submittedMs;
    if (first.kind !== 'answered' || second.kind !== 'answered') return expect.unreachable();
    const { queueMs, inferenceMs } = second.times;
    expect(inferenceMs).toBeGreaterThan(0);
    // The first was taken at once, the second only when the first had its answer.
    expect(queueMs).toBeGreaterThan(first.times.queueMs);
    expect(queueMs + inferenceMs).toBeLessThanOrEqual(elapsedMs);
  });

  /** A place where a row is answered. */
  function gridPlace() {
    return placeOf(data.grid, 0);
  }
});
