import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../accounts/clock.js';
import type { SiteRows } from '../../prediction/site-rows.js';
import type { JobAnswers } from '../../work/job-answers.js';
import type { JobOutcome, Scheduler } from '../../work/scheduler.js';
import type { StepError } from '../../work/step.js';
import type { ApiError } from '../errors/api-error.js';
import { closedWhileWaiting, internalError, QUEUE_FULL, timedOut } from '../errors/common-errors.js';
import { callerOf } from '../server/request-state.js';

/** After which rows that found the queue full are submitted again. */
const RETRY_MS = 100;

/** Submits the rows of requests to a scheduler. */
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
    const { queueMs, inferenceMs } = state.times ?? { queueMs: job.queueMs, inferenceMs: 0 };
    state.times = { queueMs, inferenceMs: inferenceMs + job.inferenceMs };
    return outcome.answers;
  }

  /** As `submit`, for one job of many of a request: where the queue is full it is tried again while the request has time. */
  async submitPatiently(...order: Parameters<RowSubmitter['submit']>): Promise<JobAnswers> {
    const [, reply] = order;
    for (;;) {
      try {
        return await this.submit(...order);
      } catch (error) {
        if (error !== QUEUE_FULL || reply.elapsedTime + RETRY_MS > this.timeoutMs) throw error;
        await delay(RETRY_MS);
      }
    }
  }
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
