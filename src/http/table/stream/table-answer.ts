import { setTimeout as delay } from 'node:timers/promises';
import type { SiteRows } from '../../../prediction/site-rows.js';
import type { Job, JobOutcome, Scheduler } from '../../../scheduling/scheduler.js';
import type { ErrorCode } from '../../errors/api-error.js';
import type { Cancellation } from '../cancellation.js';
import type { TableJobRows, ThreadTable } from '../thread/table-threads.js';
import type { JobLimit } from './job-limit.js';

/** After a job could not be answered because of overload it is submitted again, so much later. */
const RETRY_MS = 100;
/** So long, in request timeouts, before the answer is given up. */
export const RETRY_FACTOR = 4;

/** A job that was not answered, and the reason. */
export class TableJobError extends Error {
  override readonly name = 'TableJobError';

  constructor(readonly outcome: Exclude<JobOutcome, { kind: 'answered' }>) {
    super(`rows of a table were not answered: ${outcome.kind}`);
  }
}

/** Who asks for a table, and what is done for them. */
export interface TableCaller {
  /** The API key whose turns the rows use. */
  readonly keyId: string;
  readonly scheduler: Scheduler;
  readonly limit: JobLimit;
  /** How long a job may wait for its answers. */
  readonly timeoutMs: number;
  /** Cancelled when nobody waits for the answer any more. */
  readonly closed: Cancellation;
  /** Called with the rows of a part of the answer: how many have an answer, and how many an error, by its code. */
  readonly onRows: (answered: number, failures: readonly (readonly [ErrorCode, number])[]) => void;
}

/**
 * The answer to an open table: its rows are predicted for in jobs, of which two are under way while the caller reads, and
 * encoded in their order.
 */
export class TableAnswer {
  readonly #first: Promise<TableJobRows | undefined>;
  #isStarted = false;
  /** How long the first job waited. */
  queueMs = 0;
  /** Time in the models, summed over the jobs. */
  inferenceMs = 0;

  constructor(
    private readonly table: ThreadTable,
    private readonly caller: TableCaller,
  ) {
    this.#first = this.#predict(0);
    this.#first.catch(() => {}); // reported by `start`
  }

  /** Waits for the first job, which decides whether there is an answer. @throws TableJobError */
  async start(): Promise<void> {
    await this.#first;
    this.#isStarted = true;
  }

  /** The bytes of the answer. @throws TableJobError, or the error of the table's thread */
  async *bytes(): AsyncGenerator<Uint8Array> {
    const { table, caller } = this;
    yield table.head;
    let next = this.#first;
    for (let job = 0; job < table.jobCount; job++) {
      const current = next;
      next = this.#predict(job + 1);
      next.catch(() => {}); // thrown where it is awaited
      const rows = await current;
      if (rows === undefined) throw new Error('rows without outcome');
      let answered = rows.count;
      for await (const { bytes, isLast, failures } of table.encode(rows)) {
        answered -= failures.reduce((sum, [, errors]) => sum + errors, 0);
        caller.onRows(isLast ? answered : 0, failures);
        yield bytes;
      }
    }
    yield await table.tail();
  }

  /** The rows of a job with their outcomes; undefined beyond the last job. */
  async #predict(index: number): Promise<TableJobRows | undefined> {
    const { table, caller } = this;
    if (index >= table.jobCount) return undefined;
    const tableJob = await table.sites(index);
    const { rows, records } = tableJob;
    if (rows.count === 0) return tableJob;
    const giveUpMs = performance.now() + RETRY_FACTOR * caller.timeoutMs;
    for (;;) {
      const job = await this.#submit(rows);
      const outcome = await job.outcome;
      if (outcome.kind === 'answered') {
        if (index === 0) this.queueMs = job.queueMs;
        this.inferenceMs += job.inferenceMs;
        outcome.answers.records(records);
        return tableJob;
      }
      const isTemporary = outcome.kind === 'overloaded' || outcome.kind === 'timed-out';
      if (!this.#isStarted || !isTemporary || performance.now() > giveUpMs) throw new TableJobError(outcome);
      await delay(RETRY_MS);
    }
  }

  #submit(rows: SiteRows): Promise<Job> {
    const { keyId, scheduler, limit, timeoutMs, closed } = this.caller;
    return limit.run(keyId, async () => {
      if (closed.isCancelled) throw new Error('the table was given up');
      const deadlineMs = performance.now() + timeoutMs;
      const job = scheduler.submit({ keyId, rows, deadlineMs });
      const abandon = () => job.abandon();
      closed.onCancel(abandon);
      await job.outcome;
      closed.offCancel(abandon);
      return job;
    });
  }
}
