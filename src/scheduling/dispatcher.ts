import type { BufferPool } from '../pool/buffer-pool.js';
import { MAX_RUN_ROWS } from '../pool/run-buffer.js';
import type { WorkerPool } from '../pool/worker-pool.js';
import type { RowAnswers, SiteRows } from '../prediction/site-rows.js';
import { FairQueue, type Piece } from './fair-queue.js';

/** Runs of a worker: what the dispatcher needs of the pool. */
export interface Workers {
  readonly size: number;
  answer: WorkerPool['answer'];
}

/** Bytes free before and after the JSON of a slice, so that what goes around it need not be joined by copying. */
const SLICE_MARGIN_BYTES = 256;

/** Consecutive rows of a job, from `firstRow` on, and their answers; `json` goes back to the BufferPool after use. */
export interface AnsweredSlice extends RowAnswers {
  readonly firstRow: number;
  /** With SLICE_MARGIN_BYTES free on either side in its memory. */
  readonly json: Buffer;
}

export interface JobTimes {
  /** From admission until the first of its rows went to a worker. */
  readonly queueMs: number;
  /** In the models, summed over the workers that had a part of it. */
  readonly inferenceMs: number;
}

export type JobOutcome =
  | { readonly kind: 'answered'; readonly slices: readonly AnsweredSlice[]; readonly times: JobTimes }
  /** The queue had no room; nothing was started. */
  | { readonly kind: 'overloaded' }
  /** The deadline passed before all rows were answered. */
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'abandoned' }
  /** A worker failed on its rows. */
  | { readonly kind: 'failed'; readonly error: Error };

/** A job on its way. */
export interface SubmittedJob {
  readonly outcome: Promise<JobOutcome>;
}

export interface DispatcherOptions {
  /** Rows that may wait; a job that does not fit is refused whole. */
  readonly queueLimitSites: number;
  readonly requestTimeoutMs: number;
}

class Job implements SubmittedJob {
  readonly submittedMs = performance.now();
  readonly slices: AnsweredSlice[] = [];
  startedMs: number | undefined;
  inferenceMs = 0;
  answeredRows = 0;

  deadline: NodeJS.Timeout | undefined;
  settle!: (outcome: JobOutcome) => void;
  readonly outcome = new Promise<JobOutcome>((resolve) => {
    this.settle = resolve;
  });

  constructor(
    readonly keyId: string,
    readonly rows: SiteRows,
  ) {}

  get rowCount(): number {
    return this.rows.count;
  }
}

/**
 * Brings rows to workers. A job is admitted whole or not at all. Whenever a worker is free it is given a run: the rows
 * that wait, of as many jobs as fit, keys taking turns; a large job is spread over all workers that are free.
 */
export class Dispatcher {
  readonly #queue = new FairQueue<Job>();
  readonly #unfinished = new Set<Job>();
  readonly #runs = new Set<Promise<void>>();

  constructor(
    readonly workers: Workers,
    readonly buffers: BufferPool,
    readonly options: DispatcherOptions,
  ) {}

  /** Rows that wait for a worker. */
  get queuedSites(): number {
    return this.#queue.rowCount;
  }

  /** Jobs admitted and not finished. */
  get unfinishedJobs(): number {
    return this.#unfinished.size;
  }

  /**
   * Takes rows to be answered, at least one.
   * @param keyId whose turn the rows use
   */
  submit(keyId: string, rows: SiteRows): SubmittedJob {
    const job = new Job(keyId, rows);
    if (this.#queue.rowCount + rows.count > this.options.queueLimitSites) {
      job.settle({ kind: 'overloaded' });
      return job;
    }
    job.deadline = setTimeout(() => this.#settle(job, { kind: 'timed-out' }), this.options.requestTimeoutMs);
    this.#unfinished.add(job);
    this.#queue.add(job);
    this.#startRuns();
    return job;
  }

  /** Drops what still waits of a job whose caller is gone. */
  abandon(job: SubmittedJob): void {
    this.#settle(job as Job, { kind: 'abandoned' });
  }

  /** Resolves when no worker is busy; nothing may be submitted meanwhile. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }

  #startRuns(): void {
    for (;;) {
      const freeWorkers = this.workers.size - this.#runs.size;
      if (freeWorkers === 0 || this.#queue.rowCount === 0) return;
      const share = Math.ceil(this.#queue.rowCount / freeWorkers);
      const run = this.#run(this.#queue.take(Math.min(MAX_RUN_ROWS, share))).then(() => {
        this.#runs.delete(run);
        this.#startRuns();
      });
      this.#runs.add(run);
    }
  }

  async #run(pieces: Piece<Job>[]): Promise<void> {
    try {
      await this.#answerTwice(pieces);
    } catch (error) {
      for (const { job } of pieces) this.#settle(job, { kind: 'failed', error: error as Error });
    }
  }

  /** A worker may die under its rows through no fault of theirs: they get a second one. */
  async #answerTwice(pieces: Piece<Job>[]): Promise<void> {
    const startedMs = performance.now();
    for (const { job } of pieces) job.startedMs ??= startedMs;
    const count = pieces.reduce((sum, piece) => sum + piece.count, 0);
    let isAnswered = false;
    const answer = () =>
      this.workers.answer(
        count,
        (rows) => pack(pieces, rows),
        (answers, inferenceMs) => {
          isAnswered = true;
          this.#deliver(pieces, answers, inferenceMs);
        },
      );
    try {
      await answer();
    } catch (error) {
      if (isAnswered) throw error;
      await answer();
    }
  }

  #deliver(pieces: Piece<Job>[], answers: RowAnswers, inferenceMs: number): void {
    let at = 0;
    for (const { job, firstRow, count } of pieces) {
      // Nobody would give back the buffers of a job that was given up.
      if (this.#unfinished.has(job)) job.slices.push(this.#copySlice(answers, at, count, firstRow));
      job.inferenceMs += (inferenceMs * count) / answers.status.length;
      job.answeredRows += count;
      at += count;
      if (job.answeredRows === job.rowCount) this.#finish(job);
    }
  }

  /** The answers to rows [at, at + count), in memory of their own. */
  #copySlice({ status, ends, json }: RowAnswers, at: number, count: number, firstRow: number): AnsweredSlice {
    const start = at === 0 ? 0 : ends[at - 1];
    const length = ends[at + count - 1] - start;
    const memory = this.buffers.acquire(length + 2 * SLICE_MARGIN_BYTES);
    memory.set(json.subarray(start, start + length), SLICE_MARGIN_BYTES);
    return {
      firstRow,
      status: status.slice(at, at + count),
      ends: ends.slice(at, at + count).map((end) => end - start),
      json: memory.subarray(SLICE_MARGIN_BYTES, SLICE_MARGIN_BYTES + length),
    };
  }

  #finish(job: Job): void {
    const slices = job.slices.sort((a, b) => a.firstRow - b.firstRow);
    const queueMs = (job.startedMs ?? job.submittedMs) - job.submittedMs;
    this.#settle(job, { kind: 'answered', slices, times: { queueMs, inferenceMs: job.inferenceMs } });
  }

  #settle(job: Job, outcome: JobOutcome): void {
    if (!this.#unfinished.delete(job)) return;
    clearTimeout(job.deadline);
    this.#queue.drop(job);
    job.settle(outcome);
  }
}

function pack(pieces: Piece<Job>[], rows: SiteRows): void {
  let at = 0;
  for (const { job, firstRow, count } of pieces) {
    rows.copyRows(at, job.rows, firstRow, count);
    at += count;
  }
}
