import pLimit, { type LimitFunction } from 'p-limit';

/** Limits how many calls of each key run at once; further ones wait in order. Only keys with calls take memory. */
export class KeyedLimit {
  readonly #limits = new Map<string, LimitFunction>();

  constructor(private readonly callsPerKey: number) {}

  /** Calls a function when the key may have one more. */
  async run<Outcome>(keyId: string, call: () => Promise<Outcome>): Promise<Outcome> {
    const limit = this.#limits.get(keyId) ?? pLimit(this.callsPerKey);
    this.#limits.set(keyId, limit);
    try {
      return await limit(call);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.#limits.delete(keyId);
    }
  }
}
