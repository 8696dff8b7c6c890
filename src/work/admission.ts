import type { JobFailure } from './job.js';

/**
 * Bounds the memory that the open requests of a kind take together. A key that has memory gets more as long as that much
 * again stays free: alone it gets half of all, beside another key a third. So no key can lock out the others by reading
 * slowly. This is the dynamic threshold of Choudhury and Hahne (IEEE/ACM Transactions on Networking 6, 1998) with a factor
 * of 1.
 */
export class MemoryBudget {
  #takenBytes = 0;
  readonly #takenByKey = new Map<string, number>();

  constructor(private readonly limitBytes: number) {}

  /**
   * Takes memory for a request of a key. The first of a key may take all that is free, and there is always enough for one.
   * @returns whether there was enough
   */
  take(keyId: string, bytes: number): boolean {
    const ofKey = this.#takenByKey.get(keyId) ?? 0;
    const freeAfter = this.limitBytes - this.#takenBytes - bytes;
    if (this.#takenBytes > 0 && freeAfter < ofKey) return false;
    this.#add(keyId, bytes);
    return true;
  }

  release(keyId: string, bytes: number): void {
    this.#add(keyId, -bytes);
  }

  #add(keyId: string, bytes: number): void {
    this.#takenBytes += bytes;
    const ofKey = (this.#takenByKey.get(keyId) ?? 0) + bytes;
    if (ofKey > 0) this.#takenByKey.set(keyId, ofKey);
    else this.#takenByKey.delete(keyId);
  }
}

/** Requests of a key that are at work at the same time; more would share the workers and all end late, or past their deadline. */
const MAX_AT_WORK = 2;

/** A key may have one open request, at work or waiting, for every SITES_PER_OPEN sites of the queue limit, and at least MIN_OPEN. */
const SITES_PER_OPEN = 1000;
const MIN_OPEN = 4;

/** The requests of a key. */
interface OpenRequests {
  atWork: number;
  /** Begins each of those that wait, oldest first. */
  readonly waiting: (() => void)[];
}

/** Limits the plans and surfaces of a key: a few are at work, in the order of their arrival, and a few more wait. */
export class KeyConcurrency {
  readonly #keys = new Map<string, OpenRequests>();
  readonly #maxOpen: number;

  constructor(queueLimitSites: number) {
    this.#maxOpen = Math.max(MIN_OPEN, Math.floor(queueLimitSites / SITES_PER_OPEN));
  }

  /** Whether a further request of a key would be rejected. */
  wouldReject(keyId: string): boolean {
    const { atWork, waiting } = this.#of(keyId);
    return atWork + waiting.length >= this.#maxOpen;
  }

  /**
   * Does the work of a request when it has its turn.
   * @param deadlineMs after which it is not begun, on the clock of `performance.now()`
   * @returns what `work` resolves to, or why it was not begun
   */
  async run<Result>(
    keyId: string,
    deadlineMs: number,
    work: () => Promise<Result>,
  ): Promise<{ readonly kind: 'answered'; readonly result: Result } | JobFailure> {
    if (this.wouldReject(keyId)) return { kind: 'overloaded' };
    const requests = this.#of(keyId);
    this.#keys.set(keyId, requests);
    if (requests.atWork < MAX_AT_WORK) requests.atWork++;
    else if (!(await waitIn(requests.waiting, deadlineMs))) return { kind: 'timed-out' };
    try {
      return { kind: 'answered', result: await work() };
    } finally {
      const next = requests.waiting.shift();
      if (next !== undefined) next();
      else if (--requests.atWork === 0) this.#keys.delete(keyId);
    }
  }

  #of(keyId: string): OpenRequests {
    return this.#keys.get(keyId) ?? { atWork: 0, waiting: [] };
  }
}

/** Waits in a queue until the deadline. @returns whether its turn came */
function waitIn(queue: (() => void)[], deadlineMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const begin = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      queue.splice(queue.indexOf(begin), 1);
      resolve(false);
    }, deadlineMs - performance.now());
    queue.push(begin);
  });
}
