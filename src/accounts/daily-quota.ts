import { LRUCache } from 'lru-cache';
import { Coalescer } from './coalescer.js';
import type { AccountStore } from './store/account-store.js';

const REQUESTS_PER_CLAIM = 10_000;
/** Keys on a day of which claims are shared; if one is dropped while its claim runs, the next is only not shared with it. */
const KEPT = 1000;

/**
 * Counts requests of limited tiers against the day's limit, exactly: one statement of the store both decides and counts.
 * Requests of one key that arrive while a claim of it runs share the next claim, so a burst costs few statements.
 */
export class DailyQuota {
  /** Claims by key, day and limit. */
  readonly #claims = new LRUCache<string, Coalescer<void, number | null>>({ max: KEPT });

  constructor(private readonly store: AccountStore) {}

  /**
   * Counts one request.
   * @param day `YYYY-MM-DD`
   * @param limit the most requests the day may hold
   * @returns the day's count with this request, or `null` if it is not admitted
   */
  take(keyId: string, day: string, limit: number): Promise<number | null> {
    const name = `${keyId} ${day} ${limit}`;
    let claims = this.#claims.get(name);
    if (claims === undefined) {
      claims = new Coalescer(
        (requests) => this.#claim(keyId, day, limit, requests.length),
        REQUESTS_PER_CLAIM,
      );
      this.#claims.set(name, claims);
    }
    return claims.submit();
  }

  async #claim(keyId: string, day: string, limit: number, requests: number): Promise<(number | null)[]> {
    const { granted, used } = await this.store.claim({ keyId, day, requests }, limit);
    const before = used - granted;
    return Array.from({ length: requests }, (_, index) => (index < granted ? before + index + 1 : null));
  }
}
