import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SiteRows } from '../../prediction/site-rows.js';
import type { AnsweredSlice, JobOutcome } from '../../scheduling/dispatcher.js';
import type { Generation } from '../../service/models/generation.js';
import type { ApiError } from '../errors/api-error.js';
import { internalError } from '../errors/error-replies.js';
import { hungUp, QUEUE_FULL, timedOut } from '../errors/work-errors.js';
import type { Services } from '../services.js';

/**
 * Has rows answered for a request, and lets go of them when its caller hangs up.
 * @throws ApiError where the service cannot answer
 */
export async function answerRows(
  { clock, config }: Services,
  { dispatcher }: Generation,
  request: FastifyRequest,
  reply: FastifyReply,
  rows: SiteRows,
): Promise<readonly AnsweredSlice[]> {
  rows.generatedAtMs.fill(clock.nowMs());
  const job = dispatcher.submit(request.state.caller!.id, rows);
  const hangUp = () => {
    if (!reply.raw.writableFinished) dispatcher.abandon(job);
  };
  reply.raw.once('close', hangUp);
  const outcome = await job.outcome;
  reply.raw.off('close', hangUp);
  if (outcome.kind !== 'answered') throw failure(outcome, request, config.requestTimeoutMs);
  request.state.times = outcome.times;
  return outcome.slices;
}

function failure(
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
      return hungUp();
    case 'failed':
      return internalError(request.log, request.id, outcome.error);
  }
}
