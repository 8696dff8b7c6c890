/** The longest delay of timers in Node and browsers, 24 days; a longer one becomes 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs a function with a signal of its own, which aborts when the caller's does. Node keeps a listener for each request
 * on the signal that the request was given, so a signal that many requests share would collect them
 * (https://github.com/nodejs/undici/issues/3157).
 * @param timeoutMs also aborts after this time, unless it is longer than timers can wait
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

/** Resolves after a delay, at most the longest of timers. @throws the reason of the signal, as soon as it aborts */
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

/** Settles as the first of several promises does. @throws the reason of the signal, as soon as it aborts */
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
