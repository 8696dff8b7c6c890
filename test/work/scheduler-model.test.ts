import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SiteRows } from '../../src/prediction/site-rows.js';
import type { Job, JobError } from '../../src/work/job.js';
import { JobAnswers } from '../../src/work/job-answers.js';
import { type Executor, type Run, Scheduler } from '../../src/work/scheduler.js';
import { forAllAsync } from '../support/for-all.js';
import { type PlainJob, PlainScheduler, type StartedRun } from './support/plain-scheduler.js';

// The scheduler executes a random list of steps; a plain model of it gives the expected outcome of every row.
const keyId = fc.constantFrom('a', 'b', 'c');
const rowCount = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 60 }));
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      keyId,
      rowCount,
      arriving: fc.dictionary(keyId, fc.integer({ min: 1, max: 200 })),
      timeoutMs: fc.integer({ min: 1, max: 200 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('answer' as const), run: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), run: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abandon' as const), job: fc.nat(40) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 80 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose a slot' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('gain a slot' as const) }) },
);

/**
 * Runs that the test ends. A row knows its job and its place in it: the job is written as its latitude, the place as its
 * longitude.
 */
class SteppedExecutor implements Executor {
  onFree: () => void = () => {};
  readonly started: StartedRun[] = [];

  constructor(
    readonly maxRunRows: number,
    public slots: number,
  ) {}

  get free(): number {
    return Math.max(0, this.slots - this.started.length);
  }

  wake(): void {
    if (this.free > 0) this.onFree();
  }

  start(run: Run): void {
    expect(this.free).toBeGreaterThan(0);
    expect(run.count).toBeLessThanOrEqual(this.maxRunRows);
    const rows = new SiteRows(run.count);
    run.fill(rows);
    const places = Array.from(rows.latitude, (job, index) => ({ job, row: rows.longitude[index] }));
    this.started.push({ run, rows: places });
  }

  /** Ends a run with elements that name their rows, or with an error. */
  end(index: number, error?: Error): void {
    const [{ run, rows }] = this.started.splice(index, 1);
    if (error !== undefined) {
      run.end(error);
      return;
    }
    const elements = rows.map(({ job, row }) => `"${job}/${row}",`);
    let length = 0;
    const ends = Uint32Array.from(elements, (element) => (length += element.length));
    run.deliver({ status: new Uint8Array(run.count), ends, json: Buffer.from(elements.join('')) }, 1);
  }
}

/** The outcome of a job, as PlainScheduler names it. */
function kindOf(outcome: JobAnswers | JobError): PlainJob['kind'] {
  return outcome instanceof JobAnswers ? 'answered' : (outcome.kind ?? 'failed');
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('the scheduler treats every row as its plain model does, including shedding, deadlines and failures', async () => {
  await forAllAsync(
    { short: 500, long: 20_000 },
    [
      fc.array(step, { maxLength: 80 }),
      fc.integer({ min: 60, max: 200 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 3 }),
    ],
    async (steps, limit, maxRunRows, slots) => {
      const executor = new SteppedExecutor(maxRunRows, slots);
      const scheduler = new Scheduler(executor, limit);
      const model = new PlainScheduler(limit, maxRunRows);
      const jobs: Job[] = [];
      const outcomes: (JobAnswers | JobError | undefined)[] = [];
      /** Answered jobs whose answers were looked at, which releases them. */
      const read = new Set<number>();
      for (const what of steps) {
        if (what.do === 'submit') {
          const rows = new SiteRows(what.rowCount);
          rows.latitude.fill(jobs.length);
          rows.longitude.set(rows.longitude.map((_, row) => row));
          const id = jobs.length;
          const arriving = new Map(Object.entries(what.arriving));
          const isRejected = scheduler.wouldReject(what.keyId, arriving);
          expect(isRejected).toBe(model.wouldReject(what.keyId, arriving));
          const deadlineMs = performance.now() + what.timeoutMs;
          const job = scheduler.submit({ keyId: what.keyId, rows, deadlineMs });
          jobs.push(job);
          outcomes.push(undefined);
          const settle = (outcome: JobAnswers | JobError) => {
            expect(outcomes[id]).toBeUndefined();
            outcomes[id] = outcome;
          };
          void job.result.then(settle, settle);
          model.submit(what.keyId, what.rowCount, deadlineMs, executor.started);
          if (isRejected && arriving.size === 0) expect(model.jobs[id].kind).toBe('overloaded');
        } else if (what.do === 'abandon') {
          if (jobs.length === 0) continue;
          jobs[what.job % jobs.length].giveUp('abandoned');
          model.settle(what.job % jobs.length, 'abandoned');
        } else if (what.do === 'wait') {
          // Timers have whole milliseconds.
          await vi.advanceTimersByTimeAsync(what.ms);
          model.expire(performance.now());
        } else if (what.do === 'lose a slot') {
          executor.slots = Math.max(0, executor.slots - 1);
        } else if (what.do === 'gain a slot') {
          executor.slots++;
          executor.wake();
          model.observe(executor.started);
        } else if (executor.started.length > 0) {
          const index = what.run % executor.started.length;
          if (what.do === 'answer') model.answer(executor.started[index]);
          else model.fail(executor.started[index]);
          executor.end(index, what.do === 'fail' ? new Error('of a test') : undefined);
          model.observe(executor.started);
        }
        await Promise.resolve();
        model.check(executor.free);
        expect(scheduler.waitingSites).toBe(model.waitingSites);
        expect(scheduler.unfinishedJobs).toBe(model.jobs.filter(({ kind }) => kind === 'open').length);
        model.jobs.forEach(({ kind, rowCount: rows }, id) => {
          const outcome = outcomes[id];
          expect(outcome === undefined ? 'open' : kindOf(outcome)).toBe(kind);
          if (!(outcome instanceof JobAnswers) || read.has(id)) return;
          read.add(id);
          const expected = Array.from({ length: rows }, (_, row) => `${id}/${row}`);
          expect(outcome.join('[', new Map(), ']').toString()).toBe(JSON.stringify(expected));
        });
      }
      // All that is left ends, by answers or by deadlines, and then nothing is under way.
      executor.slots = Math.max(1, executor.slots);
      executor.wake();
      while (executor.started.length > 0) executor.end(0);
      expect(scheduler.isIdle).toBe(true);
      expect(scheduler.waitingSites).toBe(0);
    },
  );
});
