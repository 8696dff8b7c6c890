import type { KeyRecord } from './api-key.js';
import { hashKey, isWellFormed } from './api-key.js';
import type { Clock } from './clock.js';
import { Coalescer } from './coalescer.js';
import { DailyQuota } from './daily-quota.js';
import { KeyDirectory } from './key-directory.js';
import type { AccountStore, KeyDay } from './store/account-store.js';
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

/** The daily quota of a key and what is left of it. */
export interface DailyQuotaState {
  readonly tier: Tier;
  /** Requests a day; `null` is unlimited. */
  readonly limit: number | null;
  /** Requests left; `null` is unlimited. */
  readonly remaining: number | null;
  /** The midnight UTC at which the count restarts, epoch milliseconds. */
  readonly resetsAtMs: number;
  /** The same in whole seconds from now, 1 to 86,400. */
  readonly secondsToReset: number;
}

/** The daily quota's decision on one request; `remaining` is what is left after it. */
export interface Admission extends DailyQuotaState {
  readonly admitted: boolean;
  readonly keyId: string;
  /** The UTC day it is counted on, `YYYY-MM-DD`. */
  readonly day: string;
}

interface DailyUsage extends DailyQuotaState {
  readonly requests: number;
}

const INVALID: Authentication = { kind: 'invalid' };

const COUNTS_PER_QUERY = 1000;

const DAY_MS = 86_400_000;

/** Authenticates keys and counts their requests. Owns its store. */
export class Accounts {
  readonly #directory: KeyDirectory;
  readonly #quota: DailyQuota;
  readonly #meter: UsageMeter;
  /** Reads counts for GET /v1/usage, which is free: one query at a time, whatever the number of callers. */
  readonly #counts: Coalescer<KeyDay, number>;

  /**
   * @param store closed with the accounts
   * @param onBackgroundError called when counts could not be written, which are kept and written later, and with a
   * `CountRefusedError` for each count that the store refuses, which is dropped
   */
  constructor(
    private readonly store: AccountStore,
    private readonly clock: Clock,
    onBackgroundError: (error: unknown) => void,
  ) {
    this.#directory = new KeyDirectory(store, clock);
    this.#quota = new DailyQuota(store);
    this.#meter = new UsageMeter(store, onBackgroundError);
    this.#counts = new Coalescer(async (wanted) => {
      await this.#meter.flush(wanted);
      return store.requestCounts(wanted);
    }, COUNTS_PER_QUERY);
  }

  /**
   * Finds the key of a secret. An operator's change takes effect within 5 seconds.
   * @throws StoreUnavailableError if the store must be queried and is unavailable
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
   * @throws StoreUnavailableError if a request of a limited tier cannot be counted
   */
  async admit({ id: keyId, tier }: Caller): Promise<Admission> {
    const { day, ...reset } = this.#today();
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
      const [count] = await this.store.addRequests([change]);
      return { ...admission, remaining: limit - count.requests };
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      this.#meter.add(change);
      return { ...admission, remaining: remaining + 1 };
    }
  }

  /**
   * The requests of a key on the current UTC day; asking is not counted. Of an unlimited tier the last second's requests
   * to other replicas may be missing.
   * @throws StoreUnavailableError
   */
  async usageToday({ id: keyId, tier }: Caller): Promise<DailyUsage> {
    const { day, ...reset } = this.#today();
    const limit = TIERS[tier].requestsPerDay;
    const requests = await this.#counts.submit({ keyId, day });
    return {
      tier,
      requests,
      limit,
      remaining: limit === null ? null : Math.max(0, limit - requests),
      ...reset,
    };
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

  /** The current UTC day and when it ends. */
  #today() {
    const nowMs = this.clock.nowMs();
    const resetsAtMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
    return {
      day: new Date(nowMs).toISOString().slice(0, 10),
      resetsAtMs,
      secondsToReset: Math.ceil((resetsAtMs - nowMs) / 1000),
    };
  }
}
