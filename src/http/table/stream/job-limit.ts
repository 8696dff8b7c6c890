import pLimit, { type LimitFunction } from 'p-limit';

/** Rows of a job: enough to fill several runs, since workers and encoders cost less a row in large ones. */
const MAX_ROWS = 2000;

/**
 * Bounds how much of the scheduler's queue the tables of each key take: half of it. If they filled it, other requests of
 * the key would be rejected.
 */
export class JobLimit {
  /** Rows of a job at most. */
  readonly rows: number;
  readonly #jobsPerKey: number;
  readonly #limits = new Map<string, LimitFunction>();

  /** @param queueLimitSites sites that may wait in the scheduler */
  constructor(queueLimitSites: number) {
    const share = Math.floor(queueLimitSites / 2);
    this.rows = Math.min(MAX_ROWS, share);
    this.#jobsPerKey = Math.floor(share / this.rows);
  }

  /** Calls a function when a job of the key may be submitted; the job ends with it. */
  async run<Outcome>(keyId: string, submit: () => Promise<Outcome>): Promise<Outcome> {
    const limit = this.#limits.get(keyId) ?? pLimit(this.#jobsPerKey);
    this.#limits.set(keyId, limit);
    try {
      return await limit(submit);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.#limits.delete(keyId);
    }
  }
}
