import type { ServerResponse } from 'node:http';
import { LARGEST_BATCH_SITES } from '../../accounts/tiers.js';
import { KeyedLimit } from '../../scheduling/keyed-limit.js';
import { closedWhileWaiting, QUEUE_FULL } from '../errors/common-errors.js';

/** Rows that such a request submits together: other keys have their turns between them. */
export const JOB_ROWS = LARGEST_BATCH_SITES;
const MAX_JOBS_AT_ONCE = 4;

/** Requests of a key that may wait for each that is at work. */
const WAITING_FOR_EACH = 3;

/**
 * Requests with many rows, which they submit bit by bit: of each key a few are at work, in the order of their arrival,
 * and a few more wait for them. If all were at work, they would reject the rows of one another.
 */
export class RequestLines {
  /** Jobs that a request may have submitted at a time. */
  readonly jobsAtOnce: number;
  readonly #turns: KeyedLimit;
  readonly #maxRequests: number;
  /** Requests in the line of each key. */
  readonly #requests = new Map<string, number>();

  /** @param queueLimitSites sites that may wait in the scheduler, half of which the requests of a key may take */
  constructor(queueLimitSites: number) {
    const jobs = Math.max(1, Math.floor(queueLimitSites / 2 / JOB_ROWS));
    this.jobsAtOnce = Math.min(jobs, MAX_JOBS_AT_ONCE);
    const atWork = Math.floor(jobs / this.jobsAtOnce);
    this.#turns = new KeyedLimit(atWork);
    this.#maxRequests = atWork * (1 + WAITING_FOR_EACH);
  }

  /** Puts a request into the line of its key until its response is closed. @throws ApiError overloaded where the line is full */
  join(keyId: string, response: ServerResponse): void {
    if (response.closed) throw closedWhileWaiting(); // its 'close' would never come
    const before = this.#requests.get(keyId) ?? 0;
    if (before >= this.#maxRequests) throw QUEUE_FULL;
    this.#requests.set(keyId, before + 1);
    response.once('close', () => {
      const left = (this.#requests.get(keyId) ?? 1) - 1;
      if (left === 0) this.#requests.delete(keyId);
      else this.#requests.set(keyId, left);
    });
  }

  /** Does the work of a request when it has its turn, which ends with it. */
  run<Result>(keyId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(keyId, work);
  }
}
