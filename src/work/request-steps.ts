import { ApiError } from '../formats/errors/api-error.js';
import type { Job } from './job.js';
import type { Scheduler } from './scheduler.js';
import type { StepKind, StepOrder, StepOutcome, StepResults } from './steps.js';

/** Steps of a request that are in progress at the same time; other keys have their turns between them. */
const STEPS_AT_ONCE = 4;

/** The steps of a request whose answer comes from workers, in the turns of its key. */
export class RequestSteps {
  /** Time in the models, summed over the steps. */
  inferenceMs = 0;
  /** How long the first step that predicts waited. */
  queueMs = 0;
  hasPredicted = false;
  isCancelled = false;
  /** Steps that are not released: a worker may still use their memory. */
  readonly #steps = new Set<Job>();

  /** @param keyId the API key whose turns the steps use */
  constructor(
    private readonly keyId: string,
    private readonly scheduler: Scheduler,
  ) {}

  /** Abandons the steps: nobody waits for the answer any more. */
  cancel(): void {
    this.isCancelled = true;
    for (const step of this.#steps) step.giveUp('abandoned');
  }

  /** Resolves when no worker reads the memory of the request any more; no further step may follow. */
  async released(): Promise<void> {
    await Promise.all(Array.from(this.#steps, (step) => step.released));
  }

  /** Does a step in a worker. @param deadlineMs on the clock of `performance.now()` @throws ApiError, JobError */
  async do<Kind extends StepKind>(
    order: StepOrder & { readonly kind: Kind },
    deadlineMs: number,
  ): Promise<StepResults[Kind]> {
    if (this.isCancelled) throw new Error('the request was given up');
    const step = this.scheduler.submit<StepOutcome<Kind>>({ keyId: this.keyId, deadlineMs, order });
    this.#steps.add(step);
    void step.released.then(() => this.#steps.delete(step));
    const outcome = await step.result;
    if ('refusal' in outcome) throw new ApiError(outcome.refusal);
    const { result } = outcome;
    if ('inferenceMs' in result) {
      this.inferenceMs += result.inferenceMs;
      if (!this.hasPredicted) this.queueMs = step.queueMs;
      this.hasPredicted = true;
    }
    return result;
  }

  /** Does a step for each item, a few at a time, until the first error, which also ends the generator. */
  async doEach<Item>(items: Generator<Item>, doStep: (item: Item) => Promise<void>): Promise<void> {
    const doSome = async () => {
      for (const item of items) await doStep(item);
    };
    const calls = Array.from({ length: STEPS_AT_ONCE }, doSome);
    // After an error, waits for the steps in progress: they use memory of the request.
    await Promise.all(calls).finally(() => Promise.allSettled(calls));
  }
}
