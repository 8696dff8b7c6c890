import type { RowAnswers, SiteRows } from '../prediction/site-rows.js';

/** Rows to be answered together. */
export interface Run {
  readonly count: number;
  /** Writes the rows. */
  fill(rows: SiteRows): void;
  /** Takes what it needs of the answers, whose memory is used again when it returns. */
  deliver(answers: RowAnswers, inferenceMs: number): void;
  /** There will be no answers. */
  fail(error: Error): void;
}

/** A piece of work that a worker does as a whole. */
export interface StepRun {
  /** What the worker is sent. */
  readonly order: object;
  /** It starts. */
  begin(): void;
  deliver(result: unknown): void;
  /** There will be no result. */
  fail(error: Error): void;
}

/** What answers runs: the worker threads, or the main thread. */
export interface Executor {
  /** Rows of a run at most. */
  readonly maxRunRows: number;
  /** Runs that can start now. */
  readonly free: number;
  /** Called whenever a run can start; the scheduler sets it. */
  onFree: () => void;
  /** Rows are waiting: calls `onFree` as soon as a run can start, which may be at once. */
  request(): void;
  /** Has the run fill in its rows and starts it; only while `free` is above 0. */
  start(run: Run): void;
  /** Starts a step; only while `free` is above 0, and only where the executor has worker threads. */
  startStep(step: StepRun): void;
}
