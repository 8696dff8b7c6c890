import type { MessagePort } from 'node:worker_threads';
import type { Run, StepRun } from './executor.js';
import type { RunBuffer } from './run-buffer.js';

/** One worker's shared buffer, and the run or step that is under way. */
export class WorkerSlot {
  /** State of the slot's worker: `opening` its models until it reports. */
  state: 'opening' | 'ready' | 'rejected' = 'opening';
  /** Where its worker takes the orders of steps from. */
  steps: MessagePort | undefined;
  #run: Run | undefined;
  #step: StepRun | undefined;

  constructor(readonly buffer: RunBuffer) {}

  get isFree(): boolean {
    return this.state === 'ready' && this.#run === undefined && this.#step === undefined;
  }

  start(run: Run): void {
    run.fill(this.buffer.rows(run.count));
    this.#run = run;
    this.buffer.order(run.count);
  }

  startStep(step: StepRun): void {
    this.#step = step;
    step.begin();
    this.steps?.postMessage(step.order);
    this.buffer.orderStep();
  }

  /** Delivers the result of the step. */
  endStep(result: unknown): void {
    const step = this.#step;
    this.#step = undefined;
    step?.deliver(result);
  }

  /** Delivers the answers of the run, if they are there. */
  collect(): void {
    const run = this.#run;
    if (run === undefined || !this.buffer.isAnswered) return;
    this.#run = undefined;
    run.deliver(this.buffer.answers(run.count), this.buffer.inferenceMs);
  }

  /** Ends the run or step, if there is one: it will have no answers. */
  fail(error: Error): void {
    const work = this.#run ?? this.#step;
    this.buffer.withdraw();
    this.#run = undefined;
    this.#step = undefined;
    work?.fail(error);
  }
}
