import type { MessagePort } from 'node:worker_threads';
import type { RunBuffer } from './memory/run-buffer.js';
import type { Run } from './scheduler.js';

/** Receives the events of worker threads. */
export interface WorkerWatcher {
  /** A thread failed, idle or at work. */
  onError(error: Error): void;
  /** The number of workers that are ready may have changed. */
  onReadyChange(): void;
}

/** The timeout of a run is counted in parts. A pause of the process or its machine ends at most one of them early. */
const TIMEOUT_PARTS = 4;

/** One worker's shared buffer, and its current run. */
export class WorkerSlot {
  /** State of its worker: `opening` the models, or `stuck` in a run that has taken longer than `runTimeoutMs`. */
  state: 'opening' | 'ready' | 'refused' | 'stuck' = 'opening';
  /** Sends the orders of steps to the worker. */
  orders: MessagePort | undefined;
  #run: Run | undefined;
  #timeout: NodeJS.Timeout | undefined;

  constructor(
    readonly buffer: RunBuffer,
    private readonly runTimeoutMs: number,
    private readonly watcher: WorkerWatcher,
  ) {}

  get isFree(): boolean {
    return this.state === 'ready' && this.#run === undefined;
  }

  start(run: Run): void {
    run.fill(this.buffer.rows(run.count));
    this.#run = run;
    this.#watch(run, TIMEOUT_PARTS);
    const { order } = run.slices[0].job.request;
    if (order !== undefined) this.orders?.postMessage(order);
    this.buffer.order(run.count);
  }

  /** Reports a run that is not answered after some more parts of the timeout, once answers that came meanwhile are received. */
  #watch(run: Run, parts: number): void {
    const onPart = () => {
      if (this.#run !== run) return;
      if (parts > 1) return this.#watch(run, parts - 1);
      this.watcher.onError(new Error(`a worker did not return from a run within ${this.runTimeoutMs} ms`));
      this.#setState('stuck');
    };
    this.#timeout = setTimeout(() => setImmediate(onPart), this.runTimeoutMs / TIMEOUT_PARTS).unref();
  }

  /** Delivers the answers of the run, if it is answered. */
  collect(): void {
    const { inferenceMs } = this.buffer;
    if (inferenceMs === undefined) return;
    const run = this.take();
    run?.deliver(this.buffer.answers(run.count), inferenceMs);
  }

  /** Ends the run, if there is one, without answers. */
  fail(error: Error): void {
    this.buffer.withdraw();
    this.take()?.end(error);
  }

  /** Frees the slot. @returns its run, if there was one */
  take(): Run | undefined {
    const run = this.#run;
    this.#run = undefined;
    clearTimeout(this.#timeout);
    if (this.state === 'stuck') this.#setState('ready');
    return run;
  }

  #setState(state: 'ready' | 'stuck'): void {
    this.state = state;
    this.watcher.onReadyChange();
  }
}
