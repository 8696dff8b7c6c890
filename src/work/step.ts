import type { StepRun } from './executor.js';
import type { Waiting } from './fair-queue.js';

/** The end of a step that has no result. */
export class StepError extends Error {
  override readonly name = 'StepError';

  constructor(
    /** `failed`: the worker failed, twice. */
    readonly kind: 'timed-out' | 'abandoned' | 'failed',
    cause?: Error,
  ) {
    super(`a step of work ended without a result: ${kind}`, { cause });
  }
}

export type StepEnd = { readonly result: unknown } | { readonly error: Error };

/** A piece of work of some 20 ms that a worker does as a whole. */
export class Step implements Waiting, StepRun {
  readonly rowCount = 0;
  /** @throws StepError */
  readonly result: Promise<unknown>;
  /** Resolves when no worker has it any more: it may have ended for its caller before. */
  readonly left: Promise<void>;
  readonly submittedMs = performance.now();
  startedMs: number | undefined;
  failures = 0;
  isSettled = false;
  #resolve!: (result: unknown) => void;
  #reject!: (error: Error) => void;
  #leave!: () => void;

  /**
   * @param order what the worker is sent
   * @param deadlineMs when it is given up, on the clock of `performance.now()`
   * @param onEnd called when a worker has ended it
   */
  constructor(
    readonly keyId: string,
    readonly order: object,
    readonly deadlineMs: number,
    private readonly onEnd: (step: Step, end: StepEnd) => void,
    private readonly onAbandon: (step: Step) => void,
  ) {
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.result.catch(() => {}); // it may be given up before anybody waits for it
    this.left = new Promise((resolve) => {
      this.#leave = resolve;
    });
  }

  /** From its submission until it was started. */
  get queueMs(): number {
    return (this.startedMs ?? this.submittedMs) - this.submittedMs;
  }

  /** Gives it up: what waits is not started. */
  abandon(): void {
    this.onAbandon(this);
  }

  begin(): void {
    this.startedMs ??= performance.now();
  }

  deliver(result: unknown): void {
    this.onEnd(this, { result });
  }

  fail(error: Error): void {
    this.failures++;
    this.onEnd(this, { error });
  }

  /** Ends it for its caller. */
  settle(end: StepEnd): void {
    this.isSettled = true;
    if ('error' in end) this.#reject(end.error);
    else this.#resolve(end.result);
  }

  /** No worker has it, and none will. */
  leave(): void {
    this.#leave();
  }
}
