import { ApiError } from './api-error.js';
import { retryLater } from './error-replies.js';

/** nginx's status for a caller who hung up: for the log, nobody receives it. */
export const HUNG_UP = 499;

/** Too many sites wait. One for all: a stack for each would cost more than the rest of a rejection. */
export const QUEUE_FULL = retryLater(
  'overloaded',
  'The work queue is full and nothing was started: try again shortly.',
);

/** The deadline of a request passed. */
export function timedOut(timeoutMs: number): ApiError {
  return retryLater('overloaded', `The request timed out after ${timeoutMs} ms: try again shortly.`);
}

/** The caller has gone: for the log alone. */
export function hungUp(): ApiError {
  return new ApiError({ code: 'invalid_request', message: 'The caller hung up.' }, {}, HUNG_UP);
}
