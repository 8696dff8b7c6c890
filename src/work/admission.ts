import pLimit, { type LimitFunction } from 'p-limit';
import { JobError } from './job.js';

/**
 * Bounds the memory that the open requests of a kind take together. A key may take memory if at least as much stays free as it
 * already holds: alone it gets half of all, beside another key a third. So no key can lock out the others by reading
 * slowly: the dynamic threshold of Choudhury and Hahne (IEEE/ACM Transactions on Networking 6, 1998), factor 1.
 */
export class MemoryBudget {
  #takenBytes = 0;
  readonly #takenByKey = new Map<string, number>();

  constructor(private readonly limitBytes: number) {}

  /** @returns whether there was enough: always if none is taken; the first request of a key may take all free memory */
  take(keyId: string, bytes: number): boolean {
    const ofKey = this.#takenByKey.get(keyId) ?? 0;
    const freeAfter = this.limitBytes - this.#takenBytes - bytes;
    if (this.#takenBytes > 0 && freeAfter < ofKey) return false;
    this.#takenBytes += bytes;
    addTo(this.#takenByKey, keyId, bytes);
    return true;
  }

  release(keyId: string, bytes: number): void {
    this.#takenBytes -= bytes;
    addTo(this.#takenByKey, keyId, -bytes);
  }
}

/** Adds to the sum of a key, and removes a sum of 0. */
export function addTo(sums: Map<string, number>, keyId: string, amount: number): void {
  const sum = (sums.get(keyId) ?? 0) + amount;
  if (sum === 0) sums.delete(keyId);
  else sums.set(keyId, sum);
}

/** Requests of a key in progress at the same time: more would share the workers, and all would end late or time out. */
const MAX_AT_WORK = 2;

/** A key may have an open request for every SITES_PER_OPEN sites of the queue limit, and at least MIN_OPEN. */
const SITES_PER_OPEN = 1000;
const MIN_OPEN = 4;

/** Limits the plans and surfaces of a key: a few are in progress, in order of arrival, and a few more wait. */
export class KeyConcurrency {
  /** One per key at most, so none is removed. */
  readonly #limits = new Map<string, LimitFunction>();
  readonly #maxOpen: number;

  constructor(queueLimitSites: number) {
    this.#maxOpen = Math.max(MIN_OPEN, Math.floor(queueLimitSites / SITES_PER_OPEN));
  }

  wouldReject(keyId: string): boolean {
    const { activeCount = 0, pendingCount = 0 } = this.#limits.get(keyId) ?? {};
    return activeCount + pendingCount >= this.#maxOpen;
  }

  /**
   * Does the work of a request when it has its turn. Call `wouldReject` before.
   * @param deadlineMs after which it is not begun, on the clock of `performance.now()`
   * @throws JobError where it is not begun, or what `work` throws
   */
  async run<Result>(keyId: string, deadlineMs: number, work: () => Promise<Result>): Promise<Result> {
    const limit = this.#limits.get(keyId) ?? pLimit(MAX_AT_WORK);
    this.#limits.set(keyId, limit);
    return limit(() => {
      if (performance.now() >= deadlineMs) throw new JobError('timed-out');
      return work();
    });
  }
}
