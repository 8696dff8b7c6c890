import { LRUCache } from 'lru-cache';
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
  readonly #reads = new Coalescer((hashes: readonly string[]) => this.#readAll(hashes));
  /** Reads under way, by hash. */
  readonly #pending = new LRUCache<string, Promise<SecretMatch | undefined>>({
    max: CACHE_CAPACITY,
    memoMethod: (hash) => this.#reads.submit(hash).finally(() => this.#pending.delete(hash)),
  });
  readonly #known = new LRUCache<string, { match: SecretMatch; readAtMs: number }>({ max: CACHE_CAPACITY });
  readonly #unknownReadAtMs = new LRUCache<string, number>({ max: CACHE_CAPACITY });
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: AccountStore,
    private readonly nowMs: () => number,
  ) {}

  /**
   * The match for a key's hash, or nothing if there is no such key.
   * @throws StoreUnavailableError if the key was not seen before and the store is unavailable
   */
  async find(hash: string): Promise<SecretMatch | undefined> {
    const known = this.#known.get(hash);
    if (known === undefined) {
      if (this.#isWithin(this.#unknownReadAtMs.get(hash), TRUSTED_FOR_MS)) return undefined;
      return this.#pending.memo(hash);
    }
    if (this.#isWithin(known.readAtMs, REFRESH_AFTER_MS)) return known.match;
    if (
      this.#isWithin(known.readAtMs, TRUSTED_FOR_MS) ||
      this.#isWithin(this.#failedAtMs, OUTAGE_MEMORY_MS)
    ) {
      // A failure is recorded in #failedAtMs and does not affect this request.
      if (!this.#isWithin(this.#failedAtMs, RETRY_AFTER_MS)) this.#pending.memo(hash).catch(() => {});
      return known.match;
    }
    try {
      return await this.#pending.memo(hash);
    } catch (error) {
      if (error instanceof StoreUnavailableError) return known.match;
      throw error;
    }
  }

  async #readAll(hashes: readonly string[]): Promise<(SecretMatch | undefined)[]> {
    const readAtMs = this.nowMs(); // before the query: the store may change while it runs
    const found = await this.store.findSecrets(hashes).catch((error: unknown) => {
      this.#failedAtMs = this.nowMs();
      throw error;
    });
    this.#failedAtMs = Number.NEGATIVE_INFINITY;
    const matches = new Map(found.map((match) => [match.hash, match]));
    return hashes.map((hash) => {
      const match = matches.get(hash);
      if (match === undefined) {
        this.#known.delete(hash);
        this.#unknownReadAtMs.set(hash, readAtMs);
      } else {
        this.#unknownReadAtMs.delete(hash);
        this.#known.set(hash, { match, readAtMs });
      }
      return match;
    });
  }

  /** Whether a moment is less than a span ago. A moment in the future is not: a clock set back must not prolong trust. */
  #isWithin(momentMs = Number.NEGATIVE_INFINITY, spanMs: number): boolean {
    const ageMs = this.nowMs() - momentMs;
    return ageMs >= 0 && ageMs < spanMs;
  }
}
