import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.js';
import { Coalescer } from './coalescer.js';
import type { AccountStore, SecretMatch } from './store/account-store.js';
import { StoreUnavailableError } from './store/store-errors.js';

/** A known key read longer ago than this is read again in the background; the request uses the known state. */
const REFRESH_AFTER_MS = 1000;
/**
 * A result read longer ago than this is not used: the bound on how late an operator's change takes effect. Background
 * reads start early enough to fail within this time for store deadlines of up to 3 seconds, so that an outage delays no
 * caller whose key is in use.
 */
const TRUSTED_FOR_MS = 4000;
/** After a failed read: how long known keys are used as last read without waiting, and when to read again. */
const OUTAGE_MEMORY_MS = 3500;
const RETRY_AFTER_MS = 250;

const CACHE_CAPACITY = 10_000;

/**
 * Finds keys by their hash, from memory where possible: no query per request for a key seen recently, one query at a
 * time, and unknown hashes cached separately, so that a flood of them evicts no key. While the store is unavailable, keys
 * seen before are answered as last read.
 */
export class KeyDirectory {
  readonly #reads: Coalescer<string, SecretMatch | undefined>;
  readonly #pending = new Map<string, Promise<SecretMatch | undefined>>();
  readonly #known = new LRUCache<string, { match: SecretMatch; readAtMs: number }>({ max: CACHE_CAPACITY });
  readonly #unknownReadAtMs = new LRUCache<string, number>({ max: CACHE_CAPACITY });
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    store: AccountStore,
    private readonly clock: Clock,
  ) {
    this.#reads = new Coalescer(async (hashes) => {
      const matches = new Map((await store.findSecrets(hashes)).map((match) => [match.hash, match]));
      return hashes.map((hash) => matches.get(hash));
    });
  }

  /**
   * The match for a key's hash, or nothing if there is no such key.
   * @throws StoreUnavailableError if the key was not seen before and the store is unavailable
   */
  async find(hash: string): Promise<SecretMatch | undefined> {
    const known = this.#known.get(hash);
    if (known === undefined) {
      return this.#isWithin(this.#unknownReadAtMs.get(hash), TRUSTED_FOR_MS) ? undefined : this.#read(hash);
    }
    if (this.#isWithin(known.readAtMs, REFRESH_AFTER_MS)) return known.match;
    if (
      this.#isWithin(known.readAtMs, TRUSTED_FOR_MS) ||
      this.#isWithin(this.#failedAtMs, OUTAGE_MEMORY_MS)
    ) {
      // A failure is recorded in #failedAtMs and does not affect this request.
      if (!this.#isWithin(this.#failedAtMs, RETRY_AFTER_MS)) this.#read(hash).catch(() => {});
      return known.match;
    }
    try {
      return await this.#read(hash);
    } catch (error) {
      if (error instanceof StoreUnavailableError) return known.match;
      throw error;
    }
  }

  #read(hash: string): Promise<SecretMatch | undefined> {
    const pending = this.#pending.get(hash);
    if (pending !== undefined) return pending;
    const read = this.#readNow(hash).finally(() => this.#pending.delete(hash));
    this.#pending.set(hash, read);
    return read;
  }

  async #readNow(hash: string): Promise<SecretMatch | undefined> {
    // The age counts from before the query: the store may change while it runs.
    const readAtMs = this.clock.nowMs();
    try {
      const match = await this.#reads.submit(hash);
      this.#failedAtMs = Number.NEGATIVE_INFINITY;
      if (match === undefined) {
        this.#known.delete(hash);
        this.#unknownReadAtMs.set(hash, readAtMs);
      } else {
        this.#unknownReadAtMs.delete(hash);
        this.#known.set(hash, { match, readAtMs });
      }
      return match;
    } catch (error) {
      this.#failedAtMs = this.clock.nowMs();
      throw error;
    }
  }

  /** Whether a moment is less than a span ago. A moment in the future is not: a clock set back must not prolong trust. */
  #isWithin(momentMs: number | undefined, spanMs: number): boolean {
    if (momentMs === undefined) return false;
    const ageMs = this.clock.nowMs() - momentMs;
    return ageMs >= 0 && ageMs < spanMs;
  }
}
