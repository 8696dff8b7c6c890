import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Admission, Caller } from '../../accounts/accounts.js';
import { redactKeys } from '../../output/printable.js';
import type { Job } from '../../work/job.js';

/** What hooks and handlers learn about a request, for its headers, its log line and its metrics. */
interface RequestState {
  caller?: Caller;
  /** The daily quota of the caller as of this request. */
  quota?: Admission;
  /** The largest body that the caller may send, where it is not BODY_LIMIT_BYTES. */
  bodyLimitBytes?: number;
  /** Keeps at most some bytes of the memory that was taken for the body of a table, once its length is known. */
  keepMemory?: (keptBytes: number) => void;
  arrivingSites?: number;
  sites?: number;
  /** How long its first job waited, and the time in the models, summed over its jobs. */
  times?: Pick<Job, 'queueMs' | 'inferenceMs'>;
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState;
  }
}

/** The caller of a request. @throws Error on a route without authentication */
export function callerOf({ state: { caller } }: FastifyRequest): Caller {
  if (caller === undefined) throw new Error('the route does not authenticate its callers');
  return caller;
}

const ACCEPTED_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own request id if it is valid, else a new one. An id is logged: one with a key is not valid. */
export function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && ACCEPTED_ID.test(given) && redactKeys(given) === given
    ? given
    : randomUUID();
}
