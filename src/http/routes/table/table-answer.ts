import type { Cancellation } from '../../../formats/table/cancellation.js';
import type { CheckState, JobAnswer } from '../../../formats/table/open-table.js';
import type { TableJob } from '../../../formats/table/table-contract.js';
import { ApiError, type ErrorCode } from '../../../prediction/errors/api-error.js';
import { type Job, JobError } from '../../../work/job.js';
import type { Scheduler } from '../../../work/scheduler.js';
import type { StepOrder, StepOutcome, StepResults, TableBody } from '../../../work/steps.js';

/** Jobs after the first are given up after so many request timeouts. */
export const PATIENCE = 4;

/** Who asks for a table, and what is done for them. */
export interface TableCaller {
  /** The API key whose turns the table uses. */
  readonly keyId: string;
  readonly scheduler: Scheduler;
  /** Jobs that are under way at the same time. */
  readonly jobsUnderWay: number;
  /** How long the first job may wait for its answer. */
  readonly timeoutMs: number;
  /** Cancelled when nobody waits for the answer any more. */
  readonly closed: Cancellation;
  /** Called with the rows of a part of the answer: how many have an answer, and how many an error, by its code. */
  readonly onRows: (answered: number, failures: readonly (readonly [ErrorCode, number])[]) => void;
}

/** A table, whose body the workers check and whose rows they answer in jobs; the answers are sent in the order of the rows. */
export class TableAnswer {
  /** How long the first job waited. */
  queueMs = 0;
  /** Time in the models, summed over the jobs. */
  inferenceMs = 0;
  #state: CheckState | undefined;
  #jobs: readonly TableJob[] = [];
  #ends: StepResults['check']['ends'];
  #first: Promise<JobAnswer> | undefined;
  /** The steps that workers may have. */
  readonly #steps = new Set<Job>();

  constructor(
    private readonly body: TableBody,
    private readonly caller: TableCaller,
  ) {
    caller.closed.onCancel(() => {
      for (const step of this.#steps) step.abandon();
    });
  }

  get rowCount(): number {
    return this.#state?.rowCount ?? 0;
  }

  /** Checks the body, however long that waits for others. @throws ApiError where it is no table, JobError */
  async check(): Promise<void> {
    for (;;) {
      const order = { kind: 'check', table: this.body, state: this.#state } as const;
      const { state, ends } = await this.#do<'check'>(order, Number.POSITIVE_INFINITY);
      this.#state = state;
      this.#ends = ends;
      if (ends === undefined) continue;
      this.#jobs = state.jobs;
      this.#state = { ...state, jobs: [] };
      return;
    }
  }

  /** Waits for the answer to the first job, which decides whether there is one. @throws JobError */
  async start(): Promise<void> {
    if (this.#jobs.length === 0) return;
    const startedMs = performance.now();
    this.#first = this.#answer(this.#jobs[0], startedMs + this.caller.timeoutMs, (step) => {
      this.queueMs = step.queueMs;
    });
    await this.#first;
  }

  /** The bytes of the answer. @throws JobError */
  async *bytes(): AsyncGenerator<Uint8Array> {
    const ends = this.#ends;
    if (ends === undefined) throw new Error('the body was not checked');
    yield ends.head;
    const underWay = this.#first === undefined ? [] : [this.#first];
    let next = underWay.length;
    while (next < this.#jobs.length || underWay.length > 0) {
      for (; underWay.length < this.caller.jobsUnderWay && next < this.#jobs.length; next++) {
        const answer = this.#answerLater(this.#jobs[next]);
        answer.catch(() => {}); // thrown where it is awaited
        underWay.push(answer);
      }
      let answer = await underWay.shift();
      while (answer !== undefined) {
        const { bytes, answered, failures, rest } = answer;
        this.caller.onRows(answered, failures);
        yield bytes;
        answer = rest && (await this.#answerLater(rest));
      }
    }
    yield ends.tail;
  }

  /** Resolves when no worker reads the body any more; the table must be closed. */
  async left(): Promise<void> {
    await Promise.all([...this.#steps].map((step) => step.left()));
  }

  #answerLater(job: TableJob): Promise<JobAnswer> {
    return this.#answer(job, performance.now() + PATIENCE * this.caller.timeoutMs);
  }

  async #answer(job: TableJob, deadlineMs: number, onDone?: (step: Job) => void): Promise<JobAnswer> {
    const state = this.#state;
    if (state === undefined) throw new Error('the body was not checked');
    const answer = await this.#do<'rows'>({ kind: 'rows', table: this.body, state, job }, deadlineMs, onDone);
    this.inferenceMs += answer.inferenceMs;
    return answer;
  }

  async #do<Kind extends 'check' | 'rows'>(
    order: StepOrder,
    deadlineMs: number,
    onDone?: (step: Job) => void,
  ): Promise<StepResults[Kind]> {
    const { keyId, scheduler, closed } = this.caller;
    if (closed.isCancelled) throw new Error('the table was given up');
    const step = scheduler.submitStep<StepOutcome<Kind>>({ keyId, deadlineMs, order });
    this.#steps.add(step);
    void step.left().then(() => this.#steps.delete(step));
    const outcome = await step.outcome;
    if (outcome.kind !== 'answered') throw new JobError(outcome);
    if ('refusal' in outcome.result) throw new ApiError(outcome.result.refusal);
    onDone?.(step);
    return outcome.result.result;
  }
}
