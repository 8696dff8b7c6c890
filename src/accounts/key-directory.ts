import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.js';
import { Coalescer } from './coalescer.js';
import type { KeyStore, SecretMatch } from './store/account-store.js';
import { StoreUnavailableError } from './store/store-errors.js';

/** A known key older than this is read again, while the request goes on with what is known. */
const REFRESH_AFTER_MS = 1000;
/**
 * What was read longer ago than this is not answered from: the bound on how late an operator's change takes effect.
 * A read that starts in time also fails in time for a store's deadline of up to 3 seconds, so that an outage holds up
 * nobody whose key is in use.
 */
const TRUSTED_FOR_MS = 4000;
/** After a failed read: how long known keys go on as last read without waiting, and how soon we try again. */
const OUTAGE_MEMORY_MS = 3500;
const RETRY_AFTER_MS = 250;

const KNOWN_CAPACITY = 10_000;
const UNKNOWN_CAPACITY = 10_000;
const HASHES_PER_QUERY = 500;

interface Known {
  readonly match: SecretMatch;
  readonly readAtMs: number;
}

/**
 * Finds keys by their hash, from memory where it can: no query per request for a key seen recently, one query at a
 * time whoever asks, and unknown hashes remembered apart from the known, so that a flood of them displaces no key.
 *
 * While the store is unavailable, keys it has seen are answered as last read.
 */
export class KeyDirectory {
  readonly #clock: Clock;
  readonly #reads: Coalescer<string, SecretMatch | undefined>;
  readonly #pending = new Map<string, Promise<SecretMatch | undefined>>();
  readonly #known = new LRUCache<string, Known>({ max: KNOWN_CAPACITY });
  readonly #unknownReadAtMs = new LRUCache<string, number>({ max: UNKNOWN_CAPACITY });
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(keys: KeyStore, clock: Clock) {
    this.#clock = clock;
    this.#reads = new Coalescer(async (hashes) => {
      const matches = new Map((await keys.findSecrets(hashes)).map((match) => [match.hash, match]));
      return hashes.map((hash) => matches.get(hash));
    }, HASHES_PER_QUERY);
  }

  /**
   * The match for a key's hash, or nothing if there is no such key.
   *
   * Rejects with `StoreUnavailableError` if the store would have to be asked, cannot be, and the key was not seen before.
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
      // Its failure is remembered in #failedAtMs and is no concern of this request.
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
    // The age counts from the asking: the store may change while the answer is under way.
    const readAtMs = this.#clock.nowMs();
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
      this.#failedAtMs = this.#clock.nowMs();
      throw error;
    }
  }

  /** Whether a moment is less than a span ago. One in the future is not: a clock set back must not prolong trust. */
  #isWithin(momentMs: number | undefined, spanMs: number): boolean {
    if (momentMs === undefined) return false;
    const ageMs = this.#clock.nowMs() - momentMs;
    return ageMs >= 0 && ageMs < spanMs;
  }
}
