import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../accounts/clock.js';
import { closedWhileWaiting, internalError, QUEUE_FULL, timedOut } from '../../http/errors/common-errors.js';
import { connectionOf } from '../../http/server/connection.js';
import { callerOf } from '../../http/server/request-state.js';
import { ApiError } from '../../prediction/errors/api-error.js';
import { RowRecords } from '../../prediction/row-record.js';
import type { SiteRows } from '../../prediction/site-rows.js';
import type { JobAnswers } from '../job-answers.js';
import type { RecordsOrder, RecordsResult } from '../messages.js';
import type { JobOutcome, Scheduler } from '../scheduler.js';
import { StepError } from '../step.js';
import type { StepOrder, StepOutcome, StepResults } from '../steps.js';

/** Rows of a step: other keys have their turns between them. */
export const STEP_ROWS = 500;

/** Steps of a plan or surface that are under way at the same time. */
const STEPS_AT_ONCE = 4;

/** Submits the rows and steps of requests to a scheduler. */
export class RowSubmitter {
  /** @param timeoutMs how long after its arrival a request may be answered */
  constructor(
    private readonly clock: Clock,
    private readonly timeoutMs: number,
  ) {}

  /**
   * Has the rows of a request answered; its state knows the jobs that are not answered, and the times of those that are.
   * @param hasHungUp see JobRequest
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
      rows,
      deadlineMs: performance.now() - reply.elapsedTime + this.timeoutMs,
      ...(hasHungUp && { hasHungUp }),
    });
    const { state } = request;
    state.jobs ??= new Set();
    state.jobs.add(job);
    const outcome = await job.outcome;
    state.jobs.delete(job);
    if (outcome.kind !== 'answered') throw outcomeError(outcome, request, this.timeoutMs);
    addTimes(request, job.queueMs, job.inferenceMs);
    return outcome.answers;
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
        const { result, queueMs } = await this.#resultOf<RecordsResult>(request, reply, scheduler, order);
        addTimes(request, queueMs, result.inferenceMs);
        use(piece, new RowRecords(result.records));
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
    const { result } = await this.#resultOf<StepOutcome<Kind>>(request, reply, scheduler, order);
    if ('refusal' in result) throw new ApiError(result.refusal);
    return result.result;
  }

  /** The result of a step, and how long it waited. @throws ApiError where it has none in time */
  async #resultOf<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    scheduler: Scheduler,
    order: object,
  ): Promise<{ readonly result: Result; readonly queueMs: number }> {
    const { state } = request;
    const deadlineMs = performance.now() - reply.elapsedTime + this.timeoutMs;
    const step = scheduler.submitStep(callerOf(request).id, order, deadlineMs);
    state.jobs ??= new Set();
    state.jobs.add(step);
    try {
      return { result: (await step.result) as Result, queueMs: step.queueMs };
    } catch (error) {
      throw error instanceof StepError ? stepError(error, request, this.timeoutMs) : error;
    } finally {
      state.jobs.delete(step);
    }
  }
}

/** Adds to the times of a request; only its first piece of work waits in its place. */
function addTimes({ state }: FastifyRequest, queueMs: number, inferenceMs: number): void {
  const times = state.times ?? { queueMs, inferenceMs: 0 };
  state.times = { ...times, inferenceMs: times.inferenceMs + inferenceMs };
}

/** The error of a request whose rows were not answered. @param timeoutMs how long it had */
export function outcomeError(
  outcome: Exclude<JobOutcome, { kind: 'answered' }>,
  request: FastifyRequest,
  timeoutMs: number,
): ApiError {
  switch (outcome.kind) {
    case 'overloaded':
      return QUEUE_FULL;
    case 'timed-out':
      return timedOut(timeoutMs);
    case 'abandoned':
      return closedWhileWaiting();
    case 'failed':
      return internalError(request.log, request.id, outcome.error);
  }
}

/** The same of a step of work. */
export function stepError(error: StepError, request: FastifyRequest, timeoutMs: number): ApiError {
  if (error.kind === 'failed')
    return outcomeError({ kind: 'failed', error: error.cause as Error }, request, timeoutMs);
  return outcomeError({ kind: error.kind }, request, timeoutMs);
}
