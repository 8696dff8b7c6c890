import { ApiError } from './api-error.js';
import { retryLater } from './error-replies.js';

/** nginx's status for a caller who hung up: for the log, nobody receives it. */
export const HUNG_UP = 499;

/** There is no room for more work. One for all: a stack for each would cost more than the rest of a refusal. */
export const QUEUE_FULL = retryLater(
  'overloaded',
  'The work queue is full and nothing was started: try again shortly.',
);

/** The work was not done in the time a request may take. */
export function timedOut(timeoutMs: number): ApiError {
  return retryLater('overloaded', `No answer could be worked out within ${timeoutMs} ms: try again shortly.`);
}

/** Nobody waits for the answer any more. */
export function hungUp(): ApiError {
  return new ApiError({ code: 'invalid_request', message: 'The caller hung up.' }, {}, HUNG_UP);
}
