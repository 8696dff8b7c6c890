import type { FastifyReply } from 'fastify';
import type { SiteRows } from '../prediction/site-rows.js';
import { KeyConcurrency } from '../work/admission.js';
import type { Generation } from '../work/generation.js';
import { JobError } from '../work/job.js';
import type { JobAnswers } from '../work/job-answers.js';
import type { Scheduler } from '../work/scheduler.js';
import { TOO_MANY_OPEN } from './errors.js';
import { connectionOf } from './server/connection.js';
import { callerOf } from './server/request-state.js';

export type Submitter = ReturnType<typeof createSubmitter>;

/** @param timeoutMs how long after its arrival a request may be answered */
export function createSubmitter(nowMs: () => number, timeoutMs: number, queueLimitSites: number) {
  const concurrency = new KeyConcurrency(queueLimitSites);
  return { submit, checkConcurrency, runLimited, deadlineOf };

  /**
   * Submits all rows of a request, and gives them up when its response closes. Sets `times` in the request's state.
   * @param isDroppedAtHangUp whether waiting rows are also given up when the caller closes its side
   * @throws JobError where the service cannot answer them
   */
  async function submit(
    reply: FastifyReply,
    scheduler: Scheduler,
    rows: SiteRows,
    isDroppedAtHangUp = false,
  ): Promise<JobAnswers> {
    rows.generatedAtMs.fill(nowMs());
    const keyId = callerOf(reply.request).id;
    const job = scheduler.submit({ keyId, deadlineMs: deadlineOf(reply), rows });
    reply.raw.once('close', () => job.giveUp('abandoned'));
    if (isDroppedAtHangUp && job.startedMs === undefined)
      connectionOf(reply.request.raw).onHangUp(() => {
        if (job.takenRows < job.rowCount) job.giveUp('abandoned');
      });
    const answers = await job.result;
    reply.request.state.times = job;
    return answers;
  }

  /** @throws ApiError overloaded where no further plan or surface of the caller would be admitted */
  function checkConcurrency({ request }: FastifyReply): void {
    if (concurrency.wouldReject(callerOf(request).id)) throw TOO_MANY_OPEN;
  }

  /**
   * Does the work of a plan or surface when it is the turn of its key. Work that has begun is completed even if the
   * request times out meanwhile.
   * @throws ApiError if too many of the key wait, JobError if the request times out, or what `work` throws
   */
  async function runLimited<Result>(
    reply: FastifyReply,
    generation: Generation,
    work: () => Promise<Result>,
  ) {
    checkConcurrency(reply);
    const { id } = callerOf(reply.request);
    const deadlineMs = deadlineOf(reply);
    const running = generation.keepOpen(() => concurrency.run(id, deadlineMs, work));
    const leftMs = Math.max(0, deadlineMs - performance.now());
    return new Promise<Result>((resolve, reject) => {
      const timer = setTimeout(() => reject(new JobError('timed-out')), leftMs);
      running.finally(() => clearTimeout(timer)).then(resolve, reject);
    });
  }

  /** When a request is given up, on the clock of `performance.now()`. */
  function deadlineOf(reply: FastifyReply): number {
    return performance.now() - reply.elapsedTime + timeoutMs;
  }
}
