import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Admission, Caller } from '../../accounts/accounts.js';
import { redactKeys } from '../../accounts/key-format.js';
import type { Job } from '../../scheduling/scheduler.js';
import type { TableMediaType, TableRequest } from '../table/table-contract.js';

/** What hooks and handlers learn about a request, for its headers, its log line and its metrics. */
export interface RequestState {
  caller?: Caller;
  admission?: Admission;
  /** Sites submitted. */
  sites?: number;
  /** Its rows, once they are submitted. */
  job?: Job;
  /** Of its rows, where these are many jobs. */
  times?: Pick<Job, 'isAnswered' | 'queueMs' | 'inferenceMs'>;
  /** What a table is asked for. */
  table?: AskedTable;
}

/** What a table is asked for, all but its body. */
export interface AskedTable {
  readonly request: TableRequest;
  readonly outputType: TableMediaType;
  readonly isGzip: boolean;
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

/** The caller's own request id if it is valid, else a new one. Ids are logged: one that contains a key is not valid. */
export function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && ACCEPTED_ID.test(given) && redactKeys(given) === given
    ? given
    : randomUUID();
}
