import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';

/** How long steps take before other work of the thread has its turn, ms. */
const SLICE_MS = 10;

/** One slice in a turn of the event loop, over all keys. */
const takingTurns = pLimit(1);

/** Of each key with work one slice at a time waits for its turn, however many requests the key has. */
const turnsOfKeys = new Map<string, LimitFunction>();

async function inTurnOf<Result>(keyId: string, run: () => Promise<Result>): Promise<Result> {
  const turns = turnsOfKeys.get(keyId) ?? pLimit(1);
  turnsOfKeys.set(keyId, turns);
  try {
    return await turns(() => takingTurns(run));
  } finally {
    if (turns.activeCount + turns.pendingCount === 0) turnsOfKeys.delete(keyId);
  }
}

/**
 * Runs steps, which pause every few milliseconds at least, so that the thread is never kept for long.
 * @param keyId keys take turns
 * @param check is called before each slice; what it throws ends the steps
 */
export async function inSlices<Result>(
  keyId: string,
  steps: Generator<undefined, Result>,
  check: () => void,
): Promise<Result> {
  while (true) {
    const step = await inTurnOf(keyId, async () => {
      await nextTurn();
      check();
      const endMs = performance.now() + SLICE_MS;
      let next = steps.next();
      while (next.done !== true && performance.now() < endMs) next = steps.next();
      return next;
    });
    if (step.done === true) return step.value;
  }
}
