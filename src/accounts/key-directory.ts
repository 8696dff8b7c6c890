import { LRUCache } from 'lru-cache';
import { coalesce } from './coalesce.js';
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
 * Makes a function that finds keys by their hash, from memory where possible: no query per request for a key seen recently,
 * one query at a time, and unknown hashes cached separately, so that a flood of them evicts no key. While the store is
 * unavailable, keys seen before are answered as last read.
 * @returns gives the match for a key's hash, or nothing if there is no such key. Rejects with StoreUnavailableError if the
 *   key was not seen before and the store is unavailable
 */
export function keyDirectory(store: AccountStore, nowMs: () => number) {
  const known = new LRUCache<string, { match: SecretMatch; readAtMs: number }>({ max: CACHE_CAPACITY });
  const unknownReadAtMs = new LRUCache<string, number>({ max: CACHE_CAPACITY });
  let failedAtMs = Number.NEGATIVE_INFINITY;

  /** Whether a moment is less than a span ago. A moment in the future is not: a clock set back must not prolong trust. */
  const isRecent = (momentMs: number, spanMs: number) => {
    const ageMs = nowMs() - momentMs;
    return ageMs >= 0 && ageMs < spanMs;
  };

  const read = coalesce(async (hashes: readonly string[]) => {
    const readAtMs = nowMs(); // before the query: the store may change while it runs
    const found = await store.findSecrets(hashes).catch((error: unknown) => {
      failedAtMs = nowMs();
      throw error;
    });
    failedAtMs = Number.NEGATIVE_INFINITY;
    const matches = new Map(found.map((match) => [match.hash, match]));
    for (const hash of hashes) {
      const match = matches.get(hash);
      if (match === undefined) {
        known.delete(hash);
        unknownReadAtMs.set(hash, readAtMs);
      } else {
        unknownReadAtMs.delete(hash);
        known.set(hash, { match, readAtMs });
      }
    }
    return hashes.map((hash) => matches.get(hash));
  });
  /** Reads under way, by hash. */
  const pending = new LRUCache<string, Promise<SecretMatch | undefined>>({
    max: CACHE_CAPACITY,
    memoMethod: (hash) => read(hash).finally(() => pending.delete(hash)),
  });

  return async (hash: string): Promise<SecretMatch | undefined> => {
    const last = known.get(hash);
    if (last === undefined) {
      const isUnknown = isRecent(unknownReadAtMs.get(hash) ?? Number.NEGATIVE_INFINITY, TRUSTED_FOR_MS);
      return isUnknown ? undefined : pending.memo(hash);
    }
    if (isRecent(last.readAtMs, REFRESH_AFTER_MS)) return last.match;
    if (isRecent(last.readAtMs, TRUSTED_FOR_MS) || isRecent(failedAtMs, OUTAGE_MEMORY_MS)) {
      // A failure is recorded in `failedAtMs` and does not affect this request.
      if (!isRecent(failedAtMs, RETRY_AFTER_MS)) pending.memo(hash).catch(() => {});
      return last.match;
    }
    return pending.memo(hash).catch((error) => {
      if (error instanceof StoreUnavailableError) return last.match;
      throw error;
    });
  };
}
