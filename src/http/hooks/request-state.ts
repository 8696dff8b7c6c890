import type { Admission, Caller } from '../../accounts/accounts.js';
import type { Job } from '../../scheduling/scheduler.js';

/** What becomes known of a request on its way, for its headers, its log line and its metrics. */
export interface RequestState {
  caller?: Caller;
  admission?: Admission;
  /** Sites asked for. */
  sites?: number;
  /** Its rows, once they are submitted. */
  job?: Job;
  /** The same, once they are answered. */
  times?: Pick<Job, 'queueMs' | 'inferenceMs'>;
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState;
  }
}
