import type { Clock } from './clock.js';
import { DailyQuota } from './daily-quota.js';
import { KeyDirectory } from './key-directory.js';
import { hashKey, isWellFormed } from './key-format.js';
import type { AccountStore, KeyRecord } from './store/account-store.js';
import { StoreUnavailableError } from './store/store-errors.js';
import { TIERS, type Tier } from './tiers.js';
import { UsageMeter } from './usage-meter.js';
import { nextMidnightMs, secondsToMidnight, utcDay } from './utc-day.js';

/** Who is calling. */
export type Caller = Pick<KeyRecord, 'id' | 'tier' | 'owner'>;

/**
 * What a secret is good for: `invalid` (missing, malformed, unknown, revoked or rotated away) and `inactive`
 * (deactivated) are refused.
 */
export type Authentication =
  | { readonly kind: 'ok'; readonly key: Caller }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'inactive'; readonly key: Caller };

/** The daily quota's answer to one request. */
export interface Admission {
  readonly admitted: boolean;
  readonly keyId: string;
  readonly tier: Tier;
  /** The UTC day it is counted on, `YYYY-MM-DD`. */
  readonly day: string;
  /** Requests a day; `null` is unlimited. */
  readonly limit: number | null;
  /** Requests left after this one; `null` is unlimited. */
  readonly remaining: number | null;
  /** The midnight UTC at which the count starts anew, epoch milliseconds. */
  readonly resetsAtMs: number;
  /** The same in whole seconds from the admission, 1 to 86,400. */
  readonly secondsToReset: number;
}

const INVALID: Authentication = { kind: 'invalid' };

/** Keys and quota as the service needs them at each request, over a store that it owns. */
export class Accounts {
  readonly #store: AccountStore;
  readonly #clock: Clock;
  readonly #directory: KeyDirectory;
  readonly #quota: DailyQuota;
  readonly #meter: UsageMeter;

  /**
   * @param store closed with the accounts
   * @param onBackgroundError is told when counts could not be written; they are kept and written later
   */
  constructor(store: AccountStore, clock: Clock, onBackgroundError: (error: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#directory = new KeyDirectory(store.keys, clock);
    this.#quota = new DailyQuota(store.usage);
    this.#meter = new UsageMeter(store.usage, onBackgroundError);
  }

  /**
   * Who a secret belongs to. An operator's change is seen within 4 seconds.
   *
   * Rejects with `StoreUnavailableError` if the store has to be asked and cannot be.
   */
  async authenticate(secret: string | undefined): Promise<Authentication> {
    if (secret === undefined || !isWellFormed(secret)) return INVALID;
    const match = await this.#directory.find(hashKey(secret));
    if (match === undefined || match.key.state === 'revoked') return INVALID;
    if (match.validUntilMs !== null && this.#clock.nowMs() >= match.validUntilMs) return INVALID;
    const { id, tier, owner, state } = match.key;
    return { kind: state === 'active' ? 'ok' : 'inactive', key: { id, tier, owner } };
  }

  /**
   * Counts one request on the current UTC day if the key's tier leaves room for it. An unlimited tier never waits for
   * the store.
   *
   * Rejects with `StoreUnavailableError` if the count of a limited tier cannot be kept.
   */
  async admit({ id: keyId, tier }: Caller): Promise<Admission> {
    const nowMs = this.#clock.nowMs();
    const day = utcDay(nowMs);
    const limit = TIERS[tier].requestsPerDay;
    const reset = { resetsAtMs: nextMidnightMs(nowMs), secondsToReset: secondsToMidnight(nowMs) };
    if (limit === null) {
      this.#meter.add({ keyId, day, requests: 1 });
      return { admitted: true, keyId, tier, day, limit, remaining: null, ...reset };
    }
    const used = await this.#quota.take(keyId, day, limit);
    const remaining = used === null ? 0 : limit - used;
    return { admitted: used !== null, keyId, tier, day, limit, remaining, ...reset };
  }

  /**
   * Gives an admitted request back to the day it was counted on, for a response that is not counted (a 5xx). The
   * admission to report instead. If the store is unavailable the request is given back when it returns.
   */
  async refund(admission: Admission): Promise<Admission> {
    const { keyId, day, limit, remaining } = admission;
    const change = { keyId, day, requests: -1 };
    if (limit === null || remaining === null) {
      this.#meter.add(change);
      return admission;
    }
    try {
      const [count] = await this.#store.usage.add([change]);
      return { ...admission, remaining: limit - count.requests };
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      this.#meter.add(change);
      return { ...admission, remaining: remaining + 1 };
    }
  }

  /** Resolves if the store takes writes; rejects with `StoreUnavailableError`, whose message says why it does not. */
  checkStore(): Promise<void> {
    return this.#store.checkWrites();
  }

  /** Writes the counts still in memory, which happens every second anyway. */
  flush(): Promise<void> {
    return this.#meter.flush();
  }

  /** Writes the counts still in memory and closes the store. Rejects if they could not be written. */
  async close(): Promise<void> {
    try {
      await this.#meter.close();
    } finally {
      await this.#store.close();
    }
  }
}
