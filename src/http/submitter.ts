import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../accounts/clock.js';
import { ApiError } from '../prediction/errors/api-error.js';
import { RowRecords } from '../prediction/row-record.js';
import type { SiteRows } from '../prediction/site-rows.js';
import { KeyTurns, type MemoryBudget } from '../work/admission.js';
import type { Generation } from '../work/generation.js';
import type { Job, JobFailure } from '../work/job.js';
import type { JobAnswers } from '../work/job-answers.js';
import type { RecordsOrder, RecordsResult } from '../work/messages.js';
import type { Scheduler } from '../work/scheduler.js';
import type { StepOrder, StepOutcome, StepResults } from '../work/steps.js';
import {
  closedWhileWaiting,
  internalError,
  QUEUE_FULL,
  TOO_MANY_OPEN,
  timedOut,
} from './errors/common-errors.js';
import { connectionOf } from './server/connection.js';
import { callerOf } from './server/request-state.js';

/** Rows of a step: other keys have their turns between them. */
export const STEP_ROWS = 500;

/** Steps of a plan or surface that are under way at the same time. */
const STEPS_AT_ONCE = 4;

/** Submits the work of requests to a scheduler; its failures are errors of the interface. */
export class Submitter {
  readonly #turns: KeyTurns;

  /** @param timeoutMs how long after its arrival a request may be answered */
  constructor(
    private readonly clock: Clock,
    private readonly timeoutMs: number,
    queueLimitSites: number,
  ) {
    this.#turns = new KeyTurns(queueLimitSites);
  }

  /**
   * Has the rows of a request answered; its state knows the jobs that are not answered, and the times of those that are.
   * @param hasHungUp see RowsRequest
   * @throws ApiError where the service cannot answer them
   */
  async submit(
    request: FastifyRequest,
    reply: FastifyReply,
    scheduler: Scheduler,
    rows: SiteRows,
    hasHungUp?: () => boolean,
  ): Promise<JobAnswers> {
    rows.generatedAtMs.fill(this.clock.nowMs());
    const job = scheduler.submit({
      keyId: callerOf(request).id,
      deadlineMs: this.#deadlineOf(reply),
      rows,
      ...(hasHungUp && { hasHungUp }),
    });
    const answers = await this.#resultOf(request, job);
    addTimes(request, job.queueMs, job.inferenceMs);
    return answers;
  }

  /** @throws ApiError overloaded where no further plan or surface of the caller would be admitted */
  checkTurns(request: FastifyRequest): void {
    if (this.#turns.wouldReject(callerOf(request).id)) throw TOO_MANY_OPEN;
  }

  /**
   * Does the work of a plan or surface when its key has its turn.
   * @throws ApiError where too many of the key wait or the request's time is over, or what `work` throws
   */
  async inTurn<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    generation: Generation,
    work: () => Promise<Result>,
  ): Promise<Result> {
    this.checkTurns(request);
    const { id } = callerOf(request);
    const outcome = await generation.keepOpen(() => this.#turns.run(id, this.#deadlineOf(reply), work));
    if (outcome.kind !== 'answered') throw failureError(outcome, request, this.timeoutMs);
    return outcome.result;
  }

  /**
   * Has workers predict the many rows of a request, in steps.
   * @param pieces of the rows; the first error ends the generator
   * @param use gets the records of each piece
   * @throws ApiError where the service cannot answer them
   */
  async predictPieces<Piece extends { readonly rows: SiteRows }>(
    request: FastifyRequest,
    reply: FastifyReply,
    scheduler: Scheduler,
    pieces: Generator<Piece>,
    use: (piece: Piece, records: RowRecords) => void,
  ): Promise<void> {
    // Both ends of a connection that was closed for sending may still be open: no event says so.
    const connection = connectionOf(request.raw);
    const predict = async () => {
      for (const piece of pieces) {
        if (connection.hasHungUp || connection.destroyed) throw closedWhileWaiting();
        const { latitude, count, width } = piece.rows;
        const order: RecordsOrder = { kind: 'records', memory: latitude.buffer, count, width };
        const job = this.#submitStep<RecordsResult>(request, reply, scheduler, order);
        const { records, inferenceMs } = await this.#resultOf(request, job);
        addTimes(request, job.queueMs, inferenceMs);
        use(piece, new RowRecords(records));
      }
    };
    const calls = Array.from({ length: STEPS_AT_ONCE }, predict);
    // After the first error the others may still submit a step: the generation must not be closed before.
    await Promise.all(calls).finally(() => Promise.allSettled(calls));
  }

  /** Has a worker do a step of a request. @throws ApiError where it is refused or has no result in time */
  async step<Kind extends StepOrder['kind']>(
    request: FastifyRequest,
    reply: FastifyReply,
    scheduler: Scheduler,
    order: StepOrder & { readonly kind: Kind },
  ): Promise<StepResults[Kind]> {
    const job = this.#submitStep<StepOutcome<Kind>>(request, reply, scheduler, order);
    const result = await this.#resultOf(request, job);
    if ('refusal' in result) throw new ApiError(result.refusal);
    return result.result;
  }

  #submitStep<Result>(request: FastifyRequest, reply: FastifyReply, scheduler: Scheduler, order: object) {
    const { id: keyId } = callerOf(request);
    return scheduler.submitStep<Result>({ keyId, deadlineMs: this.#deadlineOf(reply), order });
  }

  #deadlineOf(reply: FastifyReply): number {
    return performance.now() - reply.elapsedTime + this.timeoutMs;
  }

  async #resultOf<Result>(request: FastifyRequest, job: Job<Result>): Promise<Result> {
    const { state } = request;
    state.jobs ??= new Set();
    state.jobs.add(job);
    const outcome = await job.outcome;
    state.jobs.delete(job);
    if (outcome.kind !== 'answered') throw failureError(outcome, request, this.timeoutMs);
    return outcome.result;
  }
}

/**
 * Takes memory for a request until its response is closed.
 * @throws ApiError overloaded where too little is left
 */
export function takeMemory(
  budget: MemoryBudget,
  bytes: number,
  request: FastifyRequest,
  { raw }: FastifyReply,
): void {
  if (raw.closed) throw closedWhileWaiting(); // its 'close' would never come
  const { id } = callerOf(request);
  if (!budget.take(id, bytes)) throw TOO_MANY_OPEN;
  raw.once('close', () => budget.giveBack(id, bytes));
}

/** Adds to the times of a request; only its first piece of work waits in its place. */
function addTimes({ state }: FastifyRequest, queueMs: number, inferenceMs: number): void {
  const times = state.times ?? { queueMs, inferenceMs: 0 };
  state.times = { ...times, inferenceMs: times.inferenceMs + inferenceMs };
}

/** The error of a request whose job has no result. @param timeoutMs how long it had */
export function failureError(failure: JobFailure, request: FastifyRequest, timeoutMs: number): ApiError {
  switch (failure.kind) {
    case 'overloaded':
      return QUEUE_FULL;
    case 'timed-out':
      return timedOut(timeoutMs);
    case 'abandoned':
      return closedWhileWaiting();
    case 'failed':
      return internalError(request.log, request.id, failure.error);
  }
}
