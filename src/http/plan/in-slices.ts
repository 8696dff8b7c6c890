import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';
import { KeyedLimit } from '../../scheduling/keyed-limit.js';

/** How long steps take before other work of the thread has its turn, ms. */
const SLICE_MS = 2;

/** One slice in a turn of the event loop, over all keys. */
const takingTurns = pLimit(1);

/** Of each key with work one slice at a time waits for its turn, however many requests the key has. */
const turnsOfKeys = new KeyedLimit(1);

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
  const slice = async () => {
    await nextTurn();
    check();
    const endMs = performance.now() + SLICE_MS;
    let next = steps.next();
    while (next.done !== true && performance.now() < endMs) next = steps.next();
    return next;
  };
  while (true) {
    const step = await turnsOfKeys.run(keyId, () => takingTurns(slice));
    if (step.done === true) return step.value;
  }
}
