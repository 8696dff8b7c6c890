import type { DayUsage, UsageStore } from './store/account-store.js';

const FLUSH_EVERY_MS = 1000;
const CHANGES_PER_STATEMENT = 1000;

/**
 * Counts in memory what nobody has to wait for, and adds it to the store every second and when closed. A process
 * that is killed loses the last second's counts at most; while the store is unavailable they are kept.
 */
export class UsageMeter {
  readonly #usage: UsageStore;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #changes = new Map<string, DayUsage>();
  #flushing: Promise<void> | undefined;

  /** @param onError is told of a flush that failed; its counts are in the next */
  constructor(usage: UsageStore, onError: (error: unknown) => void) {
    this.#usage = usage;
    this.#onError = onError;
    this.#timer = setInterval(() => this.flush().catch(this.#onError), FLUSH_EVERY_MS);
    this.#timer.unref();
  }

  /** Counts requests of a key on a day; a negative number takes them back. */
  add({ keyId, day, requests }: DayUsage): void {
    const name = `${keyId} ${day}`;
    this.#changes.set(name, { keyId, day, requests: requests + (this.#changes.get(name)?.requests ?? 0) });
  }

  /** Writes what is counted; a flush already under way is waited for, not repeated. */
  flush(): Promise<void> {
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** Stops the timer and writes what is left. Rejects if the store does not take it. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flushing?.catch(this.#onError);
    await this.flush();
  }

  async #write(): Promise<void> {
    // In one order in every replica, so that two statements never wait for each other's rows.
    const changes = [...this.#changes.values()]
      .filter(({ requests }) => requests !== 0)
      .sort((a, b) => (a.keyId === b.keyId ? compare(a.day, b.day) : compare(a.keyId, b.keyId)));
    this.#changes = new Map();
    while (changes.length > 0) {
      try {
        await this.#usage.add(changes.slice(0, CHANGES_PER_STATEMENT));
      } catch (error) {
        for (const change of changes) this.add(change);
        throw error;
      }
      changes.splice(0, CHANGES_PER_STATEMENT);
    }
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
