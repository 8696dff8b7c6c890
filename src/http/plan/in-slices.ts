import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';

/** How long steps take before other work of the thread has its turn, ms. */
const SLICE_MS = 10;

/** One slice in a turn of the event loop, over all requests. */
const takingTurns = pLimit(1);

/**
 * Runs steps, which pause every few milliseconds at least, so that the thread is never kept for long.
 * @param check is called before each slice; what it throws ends the steps
 */
export async function inSlices<Result>(
  steps: Generator<undefined, Result>,
  check: () => void,
): Promise<Result> {
  while (true) {
    const step = await takingTurns(async () => {
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
