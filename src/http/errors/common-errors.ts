import type { FastifyBaseLogger } from 'fastify';
import { ApiError, type ErrorCode } from '../../prediction/errors/api-error.js';
import { show, shownPath } from '../../prediction/errors/shown-value.js';
import type { JobFailure } from '../../work/job.js';

/** Seconds after which a caller may retry when the service cannot answer now. */
const RETRY_AFTER_SECONDS = 1;

/** nginx's status for a client that closed its connection: for the log alone. */
export const CLIENT_CLOSED_STATUS = 499;

/** A temporary failure of the service, with the time after which to retry. */
export function retryLater(
  code: Extract<ErrorCode, 'overloaded' | 'unavailable'>,
  message: string,
): ApiError {
  return new ApiError({ code, message }, { 'retry-after': String(RETRY_AFTER_SECONDS) });
}

/** Too many sites wait. A constant, since a stack trace for each error would cost more than the rest of a rejection. */
export const QUEUE_FULL = retryLater(
  'overloaded',
  'The work queue is full and nothing was started: try again shortly.',
);

/** The tables, plans or surfaces that are open, of all keys or of one, are as many as there may be. */
export const TOO_MANY_OPEN = retryLater(
  'overloaded',
  'Too many tables, plans, surfaces or large answers are open: read those, or try again shortly.',
);

/** The client closed its side of the connection while its request waited, as one does that disconnects. */
export function closedWhileWaiting(): ApiError {
  return retryLater(
    'overloaded',
    'The request had to wait and its connection was closed for sending meanwhile, so nothing was started: try again, ' +
      'and keep the connection open until the response arrives.',
  );
}

/** The same before the answer to a table began. */
export function closedBeforeTable(): ApiError {
  const message =
    'The connection was closed for sending before the answer to the table began, which looks as if its caller had ' +
    'disconnected: keep it open for sending until the answer has arrived.';
  return new ApiError({ code: 'invalid_request', message }, {}, 400);
}

/** The error of a request whose job has no result. @param timeoutMs how long the request had */
export function jobFailed(
  failure: JobFailure,
  log: FastifyBaseLogger,
  requestId: string,
  timeoutMs: number,
): ApiError {
  switch (failure.kind) {
    case 'overloaded':
      return QUEUE_FULL;
    case 'timed-out':
      return retryLater('overloaded', `The request timed out after ${timeoutMs} ms: try again shortly.`);
    case 'abandoned':
      return closedWhileWaiting();
    case 'failed':
      return internalError(log, requestId, failure.error);
  }
}

/** Logs an unexpected error; the caller gets the request id only. */
export function internalError(log: FastifyBaseLogger, requestId: string, error: unknown): ApiError {
  log.error({ err: error }, 'unexpected failure');
  return new ApiError({
    code: 'internal_error',
    message: 'An unexpected error on our side: if it persists, report it with the request id.',
    details: { request_id: requestId },
  });
}

export function unsupportedMediaType(contentType: string | undefined): ApiError {
  return new ApiError({
    code: 'unsupported_media_type',
    message: `The body must be sent with Content-Type: application/json, not ${show(contentType)}.`,
  });
}

/** @param endpoints says where the endpoints are listed, or which they are */
export function notFound(url: string, endpoints: string): ApiError {
  const [path] = url.split('?', 1);
  return new ApiError({
    code: 'not_found',
    message: `There is nothing at ${shownPath(path)}: ${endpoints}.`,
  });
}
