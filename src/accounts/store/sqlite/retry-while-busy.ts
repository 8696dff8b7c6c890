import { setTimeout as sleep } from 'node:timers/promises';
import { StoreBusyError } from '../store-errors.js';

const RETRY_AFTER_MS = 2;
/** Two seconds, several hundred times the duration of one of our writes. */
const ATTEMPTS = 1000;

/**
 * Waits for the lock of another process without blocking this one: SQLite's own busy timeout sleeps inside the call and
 * would block every request in flight. It also does not apply to every lock: a change of the journal mode never waits.
 *
 * @param call may be repeated
 * @throws StoreBusyError if the lock is held for longer than two seconds
 */
export async function retryWhileBusy<Result>(call: () => Result | Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreBusyError) || attempt === ATTEMPTS) throw error;
      await sleep(RETRY_AFTER_MS);
    }
  }
}
