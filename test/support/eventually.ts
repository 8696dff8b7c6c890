import { setTimeout as delay } from 'node:timers/promises';

const ASK_EVERY_MS = 20;

/** Calls `ask` until it succeeds and resolves with its result; rejects with its last error after `withinMs`. */
export async function eventually<Answer>(
  ask: () => Answer | Promise<Answer>,
  withinMs = 100_000,
): Promise<Answer> {
  const deadlineMs = performance.now() + withinMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await delay(ASK_EVERY_MS);
    }
  }
}
