import type { RowAnswers, SiteRows } from '../prediction/site-rows.js';
import { FairQueue, type JobSlice } from './fair-queue.js';
import { Job, type JobRequest } from './job.js';
import type { JobAnswers } from './job-answers.js';

/** The share of the queue limit that keeps the executor busy until further requests have arrived. */
const BUSY_PART = 1 / 8;

/** Where runs are done: the worker threads, or the main thread, which takes no steps. */
export interface Executor {
  readonly maxRunRows: number;
  /** Runs that can start now. */
  readonly free: number;
  /** Called whenever a run can start; the scheduler sets it. */
  onFree: () => void;
  /** Work is waiting: collects ended runs, and calls `onFree` as soon as a run can start, possibly synchronously. */
  wake(): void;
  /** Lets the run fill in its rows and starts it; only while `free` is above 0. */
  start(run: Run): void;
}

/** A unit of an executor's work: rows of one or several jobs that are answered together, or a step. */
export class Run {
  /** Rows; 0 for a step. */
  readonly count: number;

  /** @param failures how many runs of its jobs have failed */
  constructor(
    readonly slices: readonly JobSlice[],
    private readonly onEnd: (run: Run, error?: Error) => void,
    readonly failures = 0,
  ) {
    this.count = slices.reduce((sum, { count }) => sum + count, 0);
  }

  /** Begins the run and writes its rows. */
  fill(rows: SiteRows): void {
    const nowMs = performance.now();
    let at = 0;
    for (const { job, firstRow, count } of this.slices) {
      job.startedMs ??= nowMs;
      job.runs++;
      if (job.request.rows) rows.copyRows(at, job.request.rows, firstRow, count);
      at += count;
    }
  }

  /** Copies the answers to the jobs: their memory is reused after this returns. */
  deliver(answers: RowAnswers, inferenceMs: number): void {
    let at = 0;
    for (const { job, firstRow, count } of this.slices) {
      job.add(answers, at, count, firstRow, (inferenceMs * count) / this.count);
      at += count;
    }
    this.end();
  }

  deliverResult(result: unknown): void {
    this.slices[0].job.succeed(result);
    this.end();
  }

  /** Ends the run. @param error why it has no answers, if it has none */
  end(error?: Error): void {
    this.onEnd(this, error);
    for (const { job } of this.slices) job.leaveRun();
  }
}

/**
 * Brings jobs to an executor, the workers or the main thread. The rows of a job are admitted together or not at all: if
 * more sites wait than the limit, the newest jobs of the key with most of them are rejected. A run takes rows of as
 * many jobs as fit, keys taking turns, and a large job is spread over all free workers. A job ends at its deadline, or
 * when its caller hangs up, even if it is in a run. A failed run is started once more, since a worker may die through
 * no fault of its jobs. If it fails again, each of its jobs is tried separately, so that rows that no worker can answer
 * fail no other job.
 */
export class Scheduler {
  readonly #queue = new FairQueue();
  #runsUnderWay = 0;
  readonly #retries: Run[] = [];
  unfinishedJobs = 0;

  /** @param queueLimitSites sites that may wait, at least as many as the largest job has */
  constructor(
    private readonly executor: Executor,
    private readonly queueLimitSites: number,
  ) {
    executor.onFree = () => this.#startRuns();
  }

  get waitingSites(): number {
    return this.#queue.rowCount;
  }

  /**
   * Whether to reject rows of this key now, since the queue is full and no other key has more in it.
   * @param arriving sites of requests that are arriving, by key; counted as if they waited while enough others do, so
   *   that requests that arrive slowly keep nobody out of an idle service
   */
  wouldReject(keyId: string, arriving: ReadonlyMap<string, number> = new Map()): boolean {
    if (!this.#isFull(arriving)) return false;
    this.executor.wake(); // runs that have ended meanwhile may empty the queue
    return this.#isFull(arriving) && this.#queue.hasMost(keyId, arriving);
  }

  /** Submits rows or a step. Steps do not count as waiting sites: those who submit steps limit their number. */
  submit<Result = JobAnswers>(request: JobRequest): Job<Result> {
    const job = new Job<Result>(request, this.#onSettled);
    this.unfinishedJobs++;
    this.#queue.add(job);
    this.executor.wake();
    while (this.waitingSites > this.queueLimitSites) {
      const newest = this.#queue.newestOfLargest();
      if (newest === undefined) break;
      newest.giveUp('overloaded');
    }
    return job;
  }

  /** Whether no job is unfinished and no run is under way. */
  get isIdle(): boolean {
    return this.unfinishedJobs === 0 && this.#runsUnderWay === 0;
  }

  #isFull(arriving: ReadonlyMap<string, number>): boolean {
    const limit = this.queueLimitSites;
    let sites = this.waitingSites;
    if (sites < BUSY_PART * limit) return false;
    for (const ofKey of arriving.values()) sites += ofKey;
    return sites >= limit;
  }

  #startRuns(): void {
    while (this.executor.free > 0) {
      const run = this.#nextRetry() ?? this.#nextRun();
      if (run === undefined) return;
      this.#runsUnderWay++;
      this.executor.start(run);
    }
  }

  /** The next run to retry. Runs whose jobs have all ended are dropped: an idle scheduler must not start any. */
  #nextRetry(): Run | undefined {
    let run = this.#retries.shift();
    while (run?.slices.every(({ job }) => job.isSettled)) run = this.#retries.shift();
    return run;
  }

  /** The step or the run of rows whose turn it is; undefined where none wait. */
  #nextRun(): Run | undefined {
    if (this.#queue.isEmpty) return undefined;
    const share = Math.ceil(this.waitingSites / this.executor.free);
    const slices = this.#queue.take(Math.min(this.executor.maxRunRows, Math.max(1, share)));
    return new Run(slices, this.#endRun);
  }

  readonly #endRun = (run: Run, error?: Error) => {
    this.#runsUnderWay--;
    if (error !== undefined) this.#tryAgain(run, error);
    if (!this.#queue.isEmpty || this.#retries.length > 0) this.executor.wake();
  };

  #tryAgain({ slices, failures }: Run, error: Error): void {
    const jobs = [...new Set(slices.map(({ job }) => job))];
    const ofEach = () => jobs.map((job) => slices.filter((slice) => slice.job === job));
    const again = failures === 0 ? [slices] : ofEach();
    if (failures < 2) this.#retries.push(...again.map((each) => new Run(each, this.#endRun, failures + 1)));
    else for (const job of jobs) job.fail(error);
  }

  readonly #onSettled = (job: Job) => {
    this.unfinishedJobs--;
    this.#queue.drop(job);
  };
}
