import type { Clock } from './clock.js';
import { DailyQuota } from './daily-quota.js';
import { KeyDirectory } from './key-directory.js';
import { hashKey, isWellFormed } from './key-format.js';
import type { KeyRecord } from './key-record.js';
import type { AccountStore } from './store/account-store.js';
import { StoreUnavailableError } from './store/store-errors.js';
import { TIERS, type Tier } from './tiers.js';
import { UsageMeter } from './usage-meter.js';

/** The key of a request. */
export type Caller = Pick<KeyRecord, 'id' | 'tier' | 'owner'>;

/** `invalid` (missing, malformed, unknown, revoked or rotated) and `inactive` (deactivated) secrets are refused. */
export type Authentication =
  | { readonly kind: 'ok'; readonly key: Caller }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'inactive'; readonly key: Caller };

/** The daily quota's decision on one request. */
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
  /** The midnight UTC at which the count restarts, epoch milliseconds. */
  readonly resetsAtMs: number;
  /** The same in whole seconds from the admission, 1 to 86,400. */
  readonly secondsToReset: number;
}

const INVALID: Authentication = { kind: 'invalid' };

const DAY_MS = 86_400_000;

/** Authenticates keys and counts their requests. Owns its store. */
export class Accounts {
  readonly #directory: KeyDirectory;
  readonly #quota: DailyQuota;
  readonly #meter: UsageMeter;
  /** The last day formatted, which is almost always the next one, too: formatting takes longest in an admission. */
  #latestDay = { startsAtMs: Number.NaN, day: '' };

  /**
   * @param store closed with the accounts
   * @param onBackgroundError called when counts could not be written; they are kept and written later
   */
  constructor(
    private readonly store: AccountStore,
    private readonly clock: Clock,
    onBackgroundError: (error: unknown) => void,
  ) {
    this.#directory = new KeyDirectory(store.keys, clock);
    this.#quota = new DailyQuota(store.usage);
    this.#meter = new UsageMeter(store.usage, onBackgroundError);
  }

  /**
   * Finds the key of a secret. An operator's change takes effect within 4 seconds.
   *
   * Rejects with `StoreUnavailableError` if the store must be queried and is unavailable.
   */
  async authenticate(secret: string | undefined): Promise<Authentication> {
    if (secret === undefined || !isWellFormed(secret)) return INVALID;
    const match = await this.#directory.find(hashKey(secret));
    if (match === undefined || match.state === 'revoked') return INVALID;
    const { id, tier, owner, state, validUntilMs } = match;
    if (validUntilMs !== null && this.clock.nowMs() >= validUntilMs) return INVALID;
    return { kind: state === 'active' ? 'ok' : 'inactive', key: { id, tier, owner } };
  }

  /**
   * Counts one request on the current UTC day if the key's daily limit is not reached. An unlimited tier never waits
   * for the store.
   *
   * Rejects with `StoreUnavailableError` if a request of a limited tier cannot be counted.
   */
  async admit({ id: keyId, tier }: Caller): Promise<Admission> {
    const nowMs = this.clock.nowMs();
    const day = this.#utcDay(nowMs);
    const resetsAtMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
    const reset = { resetsAtMs, secondsToReset: Math.ceil((resetsAtMs - nowMs) / 1000) };
    const limit = TIERS[tier].requestsPerDay;
    if (limit === null) {
      this.#meter.add({ keyId, day, requests: 1 });
      return { admitted: true, keyId, tier, day, limit, remaining: null, ...reset };
    }
    const used = await this.#quota.take(keyId, day, limit);
    const remaining = used === null ? 0 : limit - used;
    return { admitted: used !== null, keyId, tier, day, limit, remaining, ...reset };
  }

  /**
   * Takes an admitted request off the count of its day, for a response that is not counted (a 5xx). If the store is
   * unavailable this happens when it is back.
   * @returns the admission to report instead
   */
  async refund(admission: Admission): Promise<Admission> {
    const { keyId, day, limit, remaining } = admission;
    const change = { keyId, day, requests: -1 };
    if (limit === null || remaining === null) {
      this.#meter.add(change);
      return admission;
    }
    try {
      const [count] = await this.store.usage.add([change]);
      return { ...admission, remaining: limit - count.requests };
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      this.#meter.add(change);
      return { ...admission, remaining: remaining + 1 };
    }
  }

  /** Resolves if the store takes writes; rejects with `StoreUnavailableError`, whose message says why not. */
  checkStore(): Promise<void> {
    return this.store.checkWrites();
  }

  /** Writes the counts that are still in memory, which otherwise happens every second. */
  flush(): Promise<void> {
    return this.#meter.flush();
  }

  /** Writes the counts still in memory and closes the store. Rejects if they could not be written. */
  async close(): Promise<void> {
    try {
      await this.#meter.close();
    } finally {
      await this.store.close();
    }
  }

  #utcDay(epochMs: number): string {
    const startsAtMs = Math.floor(epochMs / DAY_MS) * DAY_MS;
    if (startsAtMs !== this.#latestDay.startsAtMs)
      this.#latestDay = { startsAtMs, day: new Date(startsAtMs).toISOString().slice(0, 10) };
    return this.#latestDay.day;
  }
}
