import pLimit from 'p-limit';
import { type AccountStore, chunks, type DayUsage, type KeyDay, keyDayName } from './store/account-store.js';
import { isConstraintViolation, StoreUnavailableError } from './store/store-errors.js';

const FLUSH_EVERY_MS = 100;
const RETRY_AFTER_MS = 1000;

/**
 * Counts requests in memory and adds the counts to the store every tenth of a second and when closed. A process that is
 * killed loses at most those of the last tenth. While the store fails they are kept, except refunds that it may have
 * made. A count that the store refuses is dropped, and the others are written.
 */
export class UsageMeter {
  readonly #timer: NodeJS.Timeout;
  /** By key and day. */
  readonly #changes = new Map<string, DayUsage>();
  readonly #oneFlush = pLimit(1);

  /**
   * @param onError called when a flush in the background fails, whose counts are kept for the next, and for each count
   * that is dropped because the store refuses it; the message says which
   */
  constructor(
    private readonly store: AccountStore,
    private readonly onError: (error: unknown, message: string) => void,
  ) {
    let nextMs = 0;
    this.#timer = setInterval(() => {
      if (this.#oneFlush.activeCount > 0 || performance.now() < nextMs) return;
      this.flush().catch((error) => {
        nextMs = performance.now() + RETRY_AFTER_MS;
        onError(error, 'request counts could not be written yet');
      });
    }, FLUSH_EVERY_MS).unref();
  }

  /** Counts requests of a key on a day; a negative number subtracts them. */
  add(change: DayUsage): void {
    const name = keyDayName(change);
    const requests = (this.#changes.get(name)?.requests ?? 0) + change.requests;
    if (requests === 0) this.#changes.delete(name);
    else this.#changes.set(name, { ...change, requests });
  }

  /** Writes every request counted before the call; with `wanted` nothing if none is of these keys and days. */
  flush(wanted?: readonly KeyDay[]): Promise<void> {
    return this.#oneFlush(async () => {
      if (wanted?.every((each) => !this.#changes.has(keyDayName(each)))) return;
      // The same order in every replica, so that two statements never deadlock on each other's rows.
      const changes = [...this.#changes.keys()].sort().flatMap((name) => this.#changes.get(name) ?? []);
      for (const group of chunks(changes)) await this.#write(group);
    });
  }

  /** Stops the timer and writes the remaining counts. Rejects if they could not be written. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #write(group: readonly DayUsage[]): Promise<void> {
    try {
      await this.store.addRequests(group);
    } catch (error) {
      // A retry may count requests twice, which is acceptable. A refund could erase a request that was answered.
      if (error instanceof StoreUnavailableError && error.mayBeDone)
        this.#forget(group.filter(({ requests }) => requests < 0));
      if (!isConstraintViolation(error)) throw error;
      if (group.length > 1) {
        // The statement wrote nothing: one by one, the others are written.
        for (const change of group) await this.#write([change]);
        return;
      }
      // For example the count of a key that the store does not have.
      const [{ keyId, day, requests }] = group;
      const reason = `the key store refuses to add ${requests} to the requests of ${keyId} on ${day}`;
      this.onError(new Error(reason, { cause: error }), 'a request count was dropped');
    }
    this.#forget(group);
  }

  #forget(changes: readonly DayUsage[]): void {
    for (const change of changes) this.add({ ...change, requests: -change.requests });
  }
}
