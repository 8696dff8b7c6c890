import { type RowAnswers, SiteRows } from '../prediction/site-rows.js';
import type { QueuedWork } from './fair-queue.js';
import { JobAnswers } from './job-answers.js';

/** Why a job has no result. */
type JobFailure =
  /** Too many sites waited; nothing was started. */
  | { readonly kind: 'overloaded' }
  /** The deadline passed first. */
  | { readonly kind: 'timed-out' }
  /** Its caller has hung up. */
  | { readonly kind: 'abandoned' }
  /** The worker failed on it, three times. */
  | { readonly kind: 'failed'; readonly error: Error };

export type JobOutcome<Result> = { readonly kind: 'answered'; readonly result: Result } | JobFailure;

/** Thrown where only an error can say that a job has no result. */
export class JobError extends Error {
  override readonly name = 'JobError';

  constructor(readonly failure: JobFailure) {
    super(`a job has no result: ${failure.kind}`, { cause: 'error' in failure ? failure.error : undefined });
  }
}

/** A request for rows or for a step. */
export interface JobRequest {
  /** The API key whose turns the job uses. */
  readonly keyId: string;
  /** When the job is given up, on the clock of `performance.now()`. */
  readonly deadlineMs: number;
  /** At least one row, to be answered with JSON; the executor takes some at a time, in any number of runs. */
  readonly rows?: SiteRows;
  /** What the worker is sent for a step: about 20 ms of other work, which it does as a whole. */
  readonly order?: object;
  /** Says whether the caller has hung up, if no event does; asked when a job that had to wait gets its turn. */
  readonly hasHungUp?: () => boolean;
}

/**
 * A step has as many request timeouts once its answer has begun, or where no caller waits for it. A worker that takes longer
 * for one counts as lost.
 */
export const LATER_STEP_TIMEOUTS = 4;

const NO_ROWS = new SiteRows(0);

/** Rows or a step on the way to the result: JobAnswers, or what the worker returns. */
export class Job<Result = unknown> implements QueuedWork {
  readonly keyId: string;
  readonly rows: SiteRows;
  readonly order: object | undefined;
  readonly hasHungUp: (() => boolean) | undefined;
  readonly outcome: Promise<JobOutcome<Result>>;
  /** Resolves when no executor has it and it has ended, which for its caller may be before. */
  readonly released: Promise<void>;
  readonly submittedMs = performance.now();
  startedMs: number | undefined;
  /** Time in the models, summed over the runs of the rows. */
  inferenceMs = 0;
  takenRows = 0;
  hadToWait = false;
  isSettled = false;
  /** Runs of it that executors have. */
  runs = 0;
  readonly #answers = new JobAnswers();
  #answeredRows = 0;
  #settle!: (outcome: JobOutcome<unknown>) => void;
  #deadline: NodeJS.Timeout | undefined;
  #release!: () => void;

  constructor(
    { keyId, deadlineMs, rows = NO_ROWS, hasHungUp, order }: JobRequest,
    private readonly onSettled: (job: Job) => void,
  ) {
    this.keyId = keyId;
    this.rows = rows;
    this.hasHungUp = hasHungUp;
    this.order = order;
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve as (outcome: JobOutcome<unknown>) => void;
    });
    this.released = new Promise((resolve) => {
      this.#release = resolve;
    });
    if (deadlineMs === Number.POSITIVE_INFINITY) return;
    // In whole milliseconds: Node keeps a list of the timers of each duration.
    const delayMs = Math.ceil(deadlineMs - performance.now());
    this.#deadline = setTimeout(() => this.settle({ kind: 'timed-out' }), delayMs).unref();
  }

  /** 0 for a step. */
  get rowCount(): number {
    return this.rows.count;
  }

  /** From its submission until it was first started. */
  get queueMs(): number {
    return (this.startedMs ?? this.submittedMs) - this.submittedMs;
  }

  /** Gives the job up, since its caller has hung up: what waits of it is not started. */
  abandon(): void {
    this.settle({ kind: 'abandoned' });
  }

  settle(outcome: JobOutcome<unknown>): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.#deadline);
    if (outcome.kind !== 'answered') this.#answers.release();
    this.onSettled(this);
    this.#settle(outcome);
    if (this.runs === 0) this.#release();
  }

  /** Takes the answers to rows [at, at + count) of a run, which are the job's rows from `firstRow` on. */
  add(answers: RowAnswers, at: number, count: number, firstRow: number, inferenceMs: number): void {
    if (this.isSettled) return;
    this.#answers.add(answers, at, count, firstRow);
    this.inferenceMs += inferenceMs;
    this.#answeredRows += count;
    if (this.#answeredRows === this.rowCount) this.settle({ kind: 'answered', result: this.#answers });
  }

  /** Called when an executor ends one of its runs. */
  leaveRun(): void {
    this.runs--;
    if (this.isSettled && this.runs === 0) this.#release();
  }
}
