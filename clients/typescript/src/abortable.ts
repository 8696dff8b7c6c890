/** The longest that timers of Node and browsers wait, 24 days; they take more for 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs a function with a signal of its own, which aborts when the caller's does. Node keeps a listener for each request
 * on the signal that the request was given, so a signal that many requests share would collect them
 * (https://github.com/nodejs/undici/issues/3157).
 * @param timeoutMs aborts after this time, too, unless it is beyond what timers wait
 * @throws the reason of the caller's signal, if it has aborted
 */
export async function abortable<Result>(
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Result>,
  timeoutMs?: number,
): Promise<Result> {
  signal?.throwIfAborted();
  const own = new AbortController();
  const abort = () => own.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const timer =
    timeoutMs === undefined || timeoutMs > MAX_TIMER_MS
      ? undefined
      : setTimeout(() => own.abort(new Error(`No answer within ${timeoutMs} ms.`)), timeoutMs);
  try {
    return await run(own.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Resolves after a time, or the longest that timers wait. @throws the reason of the signal, as soon as it aborts */
export function delay(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', abort);
        resolve();
      },
      Math.min(delayMs, MAX_TIMER_MS),
    );
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** What the first of several promises settles with. @throws the reason of the signal, as soon as it aborts */
export function firstOf<Result>(signal: AbortSignal, promises: readonly Promise<Result>[]): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    Promise.race(promises)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  });
}
