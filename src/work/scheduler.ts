import type { RowAnswers, SiteRows } from '../prediction/site-rows.js';
import type { BufferPool } from './buffer-pool.js';
import type { Executor, Run } from './executor.js';
import { FairQueue, type Piece } from './fair-queue.js';
import { JobAnswers } from './job-answers.js';
import { Step, type StepEnd, StepError } from './step.js';

export type JobOutcome =
  | { readonly kind: 'answered'; readonly answers: JobAnswers }
  /** Too many sites waited; nothing was started. */
  | { readonly kind: 'overloaded' }
  /** The deadline passed before all rows were answered. */
  | { readonly kind: 'timed-out' }
  /** Its caller has hung up. */
  | { readonly kind: 'abandoned' }
  /** The models failed on its rows, twice. */
  | { readonly kind: 'failed'; readonly error: Error };

export interface JobRequest {
  /** The API key whose turn the rows use. */
  readonly keyId: string;
  /** At least one. */
  readonly rows: SiteRows;
  /** When the job is given up, on the clock of `performance.now()`. */
  readonly deadlineMs: number;
  /** Where the caller can hang up unnoticed, how to notice: asked when a job that had to wait has its turn. */
  readonly hasHungUp?: () => boolean;
}

/** Rows on their way to their answers. */
export class Job {
  readonly keyId: string;
  readonly rows: SiteRows;
  readonly deadlineMs: number;
  readonly hasHungUp: (() => boolean) | undefined;
  readonly submittedMs = performance.now();
  readonly answers: JobAnswers;
  readonly outcome: Promise<JobOutcome>;
  settle!: (outcome: JobOutcome) => void;
  isSettled = false;
  hadToWait = false;
  answeredRows = 0;
  startedMs: number | undefined;
  /** Time in the models, summed over the runs that had a part of it. */
  inferenceMs = 0;

  constructor(
    { keyId, rows, deadlineMs, hasHungUp }: JobRequest,
    buffers: BufferPool,
    private readonly onAbandon: (job: Job) => void,
  ) {
    this.keyId = keyId;
    this.rows = rows;
    this.deadlineMs = deadlineMs;
    this.hasHungUp = hasHungUp;
    this.answers = new JobAnswers(buffers);
    this.outcome = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  /** Gives the job up, since its caller has hung up: what waits of it is not started. */
  abandon(): void {
    this.onAbandon(this);
  }

  get rowCount(): number {
    return this.rows.count;
  }

  get isAnswered(): boolean {
    return this.answeredRows === this.rowCount;
  }

  /** From its submission until the first of its rows was started. */
  get queueMs(): number {
    return (this.startedMs ?? this.submittedMs) - this.submittedMs;
  }
}

/**
 * Brings rows to an executor, be it the workers or the main thread. A job is admitted whole or not at all: where more
 * sites than the limit wait, the newest jobs of the key that has most of them are rejected. Whenever a run can start it
 * takes rows of as many jobs as fit, keys taking turns; a large job is spread over all that is free. A job ends at its
 * deadline, or when its caller hangs up, whatever has become of its rows by then. Rows whose run failed are run once
 * more: a worker may die through no fault of theirs.
 */
export class Scheduler {
  readonly #queue = new FairQueue<Job | Step>();
  /** Under way. Arrays, not sets: V8 keeps what was deleted from a set alive until a full collection. */
  readonly #runs: (JobRun | Step)[] = [];
  /** Failed once. */
  readonly #retries: (JobRun | Step)[] = [];
  #unfinishedJobs = 0;
  #deadlineTimer: NodeJS.Timeout | undefined;
  #nextDeadlineMs = Number.POSITIVE_INFINITY;
  #resolveIdle: (() => void)[] = [];

  /** @param queueLimitSites sites that may wait, at least as many as the largest job has */
  constructor(
    private readonly executor: Executor,
    private readonly buffers: BufferPool,
    private readonly queueLimitSites: number,
  ) {
    executor.onFree = () => this.#startRuns();
  }

  /** Sites that wait for a run. */
  get waitingSites(): number {
    return this.#queue.rowCount;
  }

  /** Jobs admitted and not finished. */
  get unfinishedJobs(): number {
    return this.#unfinishedJobs;
  }

  /** Whether a job of this key is certain to be rejected now. */
  wouldReject(keyId: string): boolean {
    if (this.waitingSites < this.queueLimitSites) return false;
    this.executor.request(); // collects runs that have ended meanwhile, which may empty the queue
    return this.waitingSites >= this.queueLimitSites && this.#queue.hasMost(keyId);
  }

  submit(request: JobRequest): Job {
    const job = new Job(request, this.buffers, this.#abandon);
    this.#unfinishedJobs++;
    this.#queue.add(job);
    this.executor.request();
    job.hadToWait = job.startedMs === undefined;
    while (this.waitingSites > this.queueLimitSites) {
      const newest = this.#queue.newestOfLargest();
      if (!(newest instanceof Job)) break;
      this.#settle(newest, { kind: 'overloaded' });
    }
    if (!job.isSettled) this.#checkDeadlineAt(job.deadlineMs);
    return job;
  }

  /**
   * Has a worker take a step of work in the turn of a key. Steps are not counted among the sites that wait: who submits
   * them bounds how many there are.
   * @param order what the worker is sent
   * @param deadlineMs when it is given up, on the clock of `performance.now()`
   */
  submitStep(keyId: string, order: object, deadlineMs: number): Step {
    const step = new Step(keyId, order, deadlineMs, this.#endStep, this.#abandonStep);
    this.#unfinishedJobs++;
    this.#queue.add(step);
    this.executor.request();
    this.#checkDeadlineAt(deadlineMs);
    return step;
  }

  /** Resolves when no job is unfinished and no run is under way; nothing may be submitted meanwhile. */
  async idle(): Promise<void> {
    if (!this.#isIdle) await new Promise<void>((resolve) => this.#resolveIdle.push(resolve));
    // Left to run, it would keep the models in memory until the deadline of a job that is answered.
    clearTimeout(this.#deadlineTimer);
    this.#nextDeadlineMs = Number.POSITIVE_INFINITY;
  }

  get #isIdle(): boolean {
    return this.#unfinishedJobs === 0 && this.#runs.length === 0;
  }

  #startRuns(): void {
    while (this.executor.free > 0) {
      const run = this.#nextRetry() ?? this.#nextRun();
      if (run === undefined) return;
      this.#runs.push(run);
      if (run instanceof Step) this.executor.startStep(run);
      else this.executor.start(run);
    }
  }

  /** The run to be tried again; not one whose jobs have all ended, since a scheduler that is idle starts none. */
  #nextRetry(): JobRun | Step | undefined {
    let run = this.#retries.shift();
    while (run !== undefined && isOver(run)) run = this.#retries.shift();
    return run;
  }

  /** The step or the run of rows whose turn it is; undefined where none wait. */
  #nextRun(): JobRun | Step | undefined {
    while (!this.#queue.isEmpty) {
      const share = Math.ceil(this.waitingSites / this.executor.free);
      const taken = this.#queue.take(Math.min(this.executor.maxRunRows, Math.max(1, share)));
      const [{ job: first }] = taken;
      if (first instanceof Step) return first;
      const pieces = (taken as Piece<Job>[]).filter(({ job }) => !this.#dropIfHungUp(job));
      if (pieces.length > 0) return new JobRun(pieces, this.#endRun, this.#deliver);
    }
    return undefined;
  }

  #dropIfHungUp(job: Job): boolean {
    if (!job.hadToWait || job.hasHungUp?.() !== true) return false;
    job.abandon();
    return true;
  }

  readonly #abandon = (job: Job) => this.#settle(job, { kind: 'abandoned' });

  readonly #deliver = ({ job, firstRow, count }: Piece<Job>, answers: RowAnswers, at: number, ms: number) => {
    if (job.isSettled) return;
    job.answers.add(answers, at, count, firstRow);
    job.inferenceMs += ms;
    job.answeredRows += count;
    if (job.isAnswered) this.#settle(job, { kind: 'answered', answers: job.answers });
  };

  readonly #endRun = (run: JobRun, error: Error | undefined) => {
    this.#runs.splice(this.#runs.indexOf(run), 1);
    if (error !== undefined) {
      if (run.failures === 1) this.#retries.push(run);
      else for (const { job } of run.pieces) this.#settle(job, { kind: 'failed', error });
    }
    this.#continue();
  };

  readonly #endStep = (step: Step, end: StepEnd) => {
    this.#runs.splice(this.#runs.indexOf(step), 1);
    if ('error' in end && step.failures === 1 && !step.isSettled) this.#retries.push(step);
    else {
      this.#settleStep(step, 'error' in end ? { error: new StepError('failed', end.error) } : end);
      step.leave();
    }
    this.#continue();
  };

  /** After a run has ended. */
  #continue(): void {
    if (!this.#queue.isEmpty || this.#retries.length > 0) this.executor.request();
    this.#reportIdle();
  }

  readonly #abandonStep = (step: Step) => this.#settleStep(step, { error: new StepError('abandoned') });

  /** Ends a step for its caller; a worker may have it still. */
  #settleStep(step: Step, end: StepEnd): void {
    if (step.isSettled) return;
    step.settle(end);
    this.#unfinishedJobs--;
    this.#queue.drop(step);
    if (!this.#runs.includes(step)) step.leave();
    this.#reportIdle();
  }

  #settle(job: Job, outcome: JobOutcome): void {
    if (job.isSettled) return;
    job.isSettled = true;
    this.#unfinishedJobs--;
    this.#queue.drop(job);
    if (outcome.kind !== 'answered') job.answers.release();
    job.settle(outcome);
    this.#reportIdle();
  }

  #reportIdle(): void {
    if (!this.#isIdle) return;
    for (const resolve of this.#resolveIdle.splice(0)) resolve();
  }

  #checkDeadlineAt(deadlineMs: number): void {
    if (deadlineMs >= this.#nextDeadlineMs) return;
    clearTimeout(this.#deadlineTimer);
    this.#nextDeadlineMs = deadlineMs;
    const delayMs = Math.max(0, Math.ceil(deadlineMs - performance.now()));
    this.#deadlineTimer = setTimeout(() => this.#settleOverdue(), delayMs).unref();
  }

  #settleOverdue(): void {
    const nowMs = performance.now();
    this.#nextDeadlineMs = Number.POSITIVE_INFINITY;
    const running = [...this.#runs, ...this.#retries].flatMap((run): (Job | Step)[] =>
      run instanceof Step ? [run] : run.pieces.map(({ job }) => job),
    );
    for (const job of [...this.#queue.jobs(), ...running]) {
      if (job.isSettled) continue;
      if (job.deadlineMs > nowMs) this.#checkDeadlineAt(job.deadlineMs);
      else if (job instanceof Step) this.#settleStep(job, { error: new StepError('timed-out') });
      else this.#settle(job, { kind: 'timed-out' });
    }
  }
}

/** Whether nobody waits for a run any more. */
function isOver(run: JobRun | Step): boolean {
  return run instanceof Step ? run.isSettled : run.pieces.every(({ job }) => job.isSettled);
}

/** Rows of one or several jobs that are answered together. */
class JobRun implements Run {
  readonly count: number;
  failures = 0;

  constructor(
    readonly pieces: readonly Piece<Job>[],
    private readonly onEnd: (run: JobRun, error: Error | undefined) => void,
    private readonly onAnswers: (
      piece: Piece<Job>,
      answers: RowAnswers,
      at: number,
      inferenceMs: number,
    ) => void,
  ) {
    this.count = pieces.reduce((sum, { count }) => sum + count, 0);
  }

  fill(rows: SiteRows): void {
    const nowMs = performance.now();
    let at = 0;
    for (const { job, firstRow, count } of this.pieces) {
      job.startedMs ??= nowMs;
      rows.copyRows(at, job.rows, firstRow, count);
      at += count;
    }
  }

  deliver(answers: RowAnswers, inferenceMs: number): void {
    let at = 0;
    for (const piece of this.pieces) {
      this.onAnswers(piece, answers, at, (inferenceMs * piece.count) / this.count);
      at += piece.count;
    }
    this.onEnd(this, undefined);
  }

  fail(error: Error): void {
    this.failures++;
    this.onEnd(this, error);
  }
}
