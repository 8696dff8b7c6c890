import type { Admission } from '../../../src/accounts/accounts.js';
import type { DayUsage } from '../../../src/accounts/store/account-store.js';
import { TIERS, type Tier } from '../../../src/accounts/tiers.js';

interface OracleKey {
  readonly tier: Tier;
  state: 'active' | 'deactivated' | 'revoked';
}

/** A simple model of keys and quota in one process, with which the real accounts must agree. */
export class AccountsOracle {
  readonly #keys = new Map<string, OracleKey>();
  /** Every secret that was issued, with the id of its key and the time at which it expires. */
  readonly #secrets = new Map<string, { id: string; untilMs: number }>();
  readonly #counts = new Map<string, DayUsage>();

  constructor(private readonly nowMs: () => number) {}

  get ids(): string[] {
    return [...this.#keys.keys()];
  }

  get secrets(): string[] {
    return [...this.#secrets.keys()];
  }

  issue(id: string, tier: Tier, secret: string): void {
    this.#keys.set(id, { tier, state: 'active' });
    this.#secrets.set(secret, { id, untilMs: Number.POSITIVE_INFINITY });
  }

  setState(id: string, state: OracleKey['state']): string {
    const key = this.#keys.get(id)!;
    if (key.state === 'revoked' && state !== 'revoked') return 'revoked_key';
    key.state = state;
    return state;
  }

  /** @param secret the new one, or `null` if the rotation was refused */
  rotate(id: string, secret: string | null, overlapMs: number): void {
    if ((secret === null) !== (this.#keys.get(id)!.state === 'revoked'))
      throw new Error('only revoked keys are refused');
    if (secret === null) return;
    for (const old of this.#secrets.values()) {
      if (old.id === id) old.untilMs = Math.min(old.untilMs, this.nowMs() + overlapMs);
    }
    this.#secrets.set(secret, { id, untilMs: Number.POSITIVE_INFINITY });
  }

  authenticate(secret: string): OracleKey['state'] | undefined {
    const { id, untilMs } = this.#secrets.get(secret)!;
    const { state } = this.#keys.get(id)!;
    return state === 'revoked' || this.nowMs() >= untilMs ? undefined : state;
  }

  admit(id: string): { admitted: boolean; remaining: number | null } {
    const count = this.#count(id, new Date(this.nowMs()).toISOString().slice(0, 10));
    const limit = TIERS[this.#keys.get(id)!.tier].requestsPerDay;
    const admitted = limit === null || count.requests < limit;
    if (admitted) count.requests += 1;
    return { admitted, remaining: limit === null ? null : limit - count.requests };
  }

  refund({ keyId, day, limit }: Admission): number | null {
    const count = this.#count(keyId, day);
    count.requests -= 1;
    return limit === null ? null : limit - count.requests;
  }

  /** The counts of each key and day, without those of 0. */
  usage(): DayUsage[] {
    return [...this.#counts.values()].filter(({ requests }) => requests !== 0);
  }

  #count(keyId: string, day: string): { requests: number } {
    const name = `${keyId} ${day}`;
    let count = this.#counts.get(name);
    if (count === undefined) {
      count = { keyId, day, requests: 0 };
      this.#counts.set(name, count);
    }
    return count as { requests: number };
  }
}
