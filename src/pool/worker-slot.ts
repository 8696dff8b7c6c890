import type { Run } from './executor.js';
import type { RunBuffer } from './run-buffer.js';

/** One worker's shared buffer and the run under way in it. */
export class WorkerSlot {
  /** State of the slot's worker: `opening` its models until it reports. */
  state: 'opening' | 'ready' | 'rejected' = 'opening';
  #run: Run | undefined;

  constructor(readonly buffer: RunBuffer) {}

  get isFree(): boolean {
    return this.state === 'ready' && this.#run === undefined;
  }

  start(run: Run): void {
    run.fill(this.buffer.rows(run.count));
    this.#run = run;
    this.buffer.order(run.count);
  }

  /** Delivers the answers of the run, if they are there. */
  collect(): void {
    const run = this.#run;
    if (run === undefined || !this.buffer.isAnswered) return;
    this.#run = undefined;
    run.deliver(this.buffer.answers(run.count), this.buffer.inferenceMs);
  }

  /** Ends the run, if there is one: it will have no answers. */
  fail(error: Error): void {
    const run = this.#run;
    this.buffer.withdraw();
    this.#run = undefined;
    run?.fail(error);
  }
}
