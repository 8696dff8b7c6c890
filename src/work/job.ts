import type { RowAnswers, SiteRows } from '../prediction/site-rows.js';
import { JobAnswers } from './job-answers.js';

/** A job ended without a result: too many sites waited, its deadline passed, or its caller hung up. */
export class JobError extends Error {
  override readonly name = 'JobError';

  constructor(readonly kind: 'overloaded' | 'timed-out' | 'abandoned') {
    super(`a job has no result: ${kind}`);
  }
}

export interface JobRequest {
  /** The API key whose turns the job uses. */
  readonly keyId: string;
  /** When the job is given up, on the clock of `performance.now()`. */
  readonly deadlineMs: number;
  /** At least one row to answer as JSON. The executor takes some at a time, in any number of runs. */
  readonly rows?: SiteRows;
  /** The message that orders a step from a worker: about 20 ms of other work, done without interruption. */
  readonly order?: object;
}

/** How many request timeouts a step may take once its answer has begun, or any run before its worker counts as lost. */
export const LATER_STEP_TIMEOUTS = 4;

/** Rows or a step, until its result: JobAnswers for rows, for a step what the worker returns. */
export class Job<Result = unknown> {
  /** 0 for a step. */
  readonly rowCount: number;
  /** Rejects with a JobError, or after three failed runs with the error of the last. */
  readonly result: Promise<Result>;
  /** Resolves when the job has ended and no executor has it any more. `result` may settle before. */
  readonly released: Promise<void>;
  readonly submittedMs = performance.now();
  startedMs: number | undefined;
  /** Time in the models, summed over the runs of the rows. */
  inferenceMs = 0;
  /** Rows that no longer wait, as the queue counts them. */
  takenRows = 0;
  isSettled = false;
  /** How many of its runs executors have. */
  runs = 0;
  readonly #answers = new JobAnswers();
  #answeredRows = 0;
  #resolve!: (result: unknown) => void;
  #reject!: (error: Error) => void;
  #deadline: NodeJS.Timeout | undefined;
  #release!: () => void;

  constructor(
    readonly request: JobRequest,
    private readonly onSettled: (job: Job) => void,
  ) {
    const { rows, deadlineMs } = request;
    this.rowCount = rows?.count ?? 0;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve as (result: unknown) => void;
      this.#reject = reject;
    });
    this.released = new Promise((resolve) => {
      this.#release = resolve;
    });
    if (deadlineMs === Number.POSITIVE_INFINITY) return;
    // In whole milliseconds: Node keeps a list of the timers of each duration. It warns of negative ones.
    const delayMs = Math.max(0, Math.ceil(deadlineMs - performance.now()));
    this.#deadline = setTimeout(() => this.giveUp('timed-out'), delayMs).unref();
  }

  /** Time from its submission to its first start. */
  get queueMs(): number {
    return (this.startedMs ?? this.submittedMs) - this.submittedMs;
  }

  /** Ends the job with a JobError, unless it has ended. Its waiting rows are not started. */
  giveUp(kind: JobError['kind']): void {
    if (!this.isSettled) this.fail(new JobError(kind));
  }

  fail(error: Error): void {
    if (this.isSettled) return;
    this.#answers.release();
    this.#reject(error);
    this.#settle();
  }

  succeed(result: unknown): void {
    if (this.isSettled) return;
    this.#resolve(result);
    this.#settle();
  }

  #settle(): void {
    this.isSettled = true;
    clearTimeout(this.#deadline);
    this.onSettled(this);
    if (this.runs === 0) this.#release();
  }

  /** Takes the answers to rows [at, at + count) of a run, which are the job's rows from `firstRow` on. */
  add(answers: RowAnswers, at: number, count: number, firstRow: number, inferenceMs: number): void {
    if (this.isSettled) return;
    this.#answers.add(answers, at, count, firstRow);
    this.inferenceMs += inferenceMs;
    this.#answeredRows += count;
    if (this.#answeredRows === this.rowCount) this.succeed(this.#answers);
  }

  /** Called when an executor ends one of its runs. */
  leaveRun(): void {
    this.runs--;
    if (this.isSettled && this.runs === 0) this.#release();
  }
}
