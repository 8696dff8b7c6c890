import type { Admission, Caller } from '../../accounts/accounts.js';
import type { JobTimes } from '../../scheduling/dispatcher.js';

/** What becomes known of a request on its way, for its headers, its log line and its metrics. */
export interface RequestState {
  caller?: Caller;
  admission?: Admission;
  /** Sites asked for. */
  sites?: number;
  times?: JobTimes;
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState;
  }
}
