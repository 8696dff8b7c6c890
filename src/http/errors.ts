import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { StoreUnavailableError } from '../accounts/store/store-errors.js';
import { ApiError } from '../formats/errors/api-error.js';
import { show } from '../formats/errors/shown-value.js';
import { JobError } from '../work/job.js';
import { DEFAULT_HEADERS, JSON_TYPE } from './response/headers.js';

/** A temporary failure of the service, with the seconds after which to retry. */
export function retryLater(code: 'overloaded' | 'unavailable', message: string): ApiError {
  return new ApiError({ code, message }, { 'retry-after': '1' });
}

/** Too many sites wait. It is a constant, since a stack trace for each error would cost more than the rejection. */
export const QUEUE_FULL = retryLater(
  'overloaded',
  'The work queue is full and nothing was started: try again shortly.',
);

export const TOO_MANY_OPEN = retryLater(
  'overloaded',
  'Too many tables, plans, surfaces or large answers are open: read those, or try again shortly.',
);

export const CLOSED_WHILE_WAITING = retryLater(
  'overloaded',
  'The connection was closed for sending while the request waited, so nothing was started: try again, ' +
    'and keep the connection open until the response arrives.',
);

export const MODELS_CHANGED = retryLater('overloaded', 'The models changed meanwhile: try again shortly.');

const CLOSED_HINT =
  'The connection was closed for sending before the answer began, which looks as if its caller had disconnected: ' +
  'keep it open for sending until the answer has arrived.';
/** The caller left while workers answered the request in steps. The service did not fail, so the request counts. */
export const CLOSED_BEFORE_ANSWER = new ApiError({ code: 'invalid_request', message: CLOSED_HINT }, {}, 400);

/** The response to a failed request, complete but for its `X-Request-Id`: the only place that writes an error body. */
export function renderError({ error, status, headers }: ApiError) {
  const body = JSON.stringify({ error });
  return {
    status,
    headers: {
      ...DEFAULT_HEADERS,
      ...headers,
      'content-type': JSON_TYPE,
      'content-length': String(Buffer.byteLength(body)),
    },
    body,
  };
}

/** Makes Fastify's error handler, which sends what a hook, parser or handler threw. @param timeoutMs of requests */
export function errorHandler(timeoutMs: number) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { status, headers, body } = renderError(toApiError(error, request, timeoutMs));
    reply.removeHeader('content-encoding'); // of an answer that failed while it was compressed
    return reply.code(status).headers(headers).send(body);
  };
}

function toApiError(error: FastifyError, request: FastifyRequest, timeoutMs: number): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof JobError) {
    if (error.kind === 'overloaded') return QUEUE_FULL;
    if (error.kind === 'abandoned') return CLOSED_WHILE_WAITING;
    return retryLater('overloaded', `The request timed out after ${timeoutMs} ms: try again shortly.`);
  }
  if (error instanceof StoreUnavailableError) {
    request.log.error({ reason: error.reason }, 'the key store cannot be reached');
    return retryLater('unavailable', 'Keys cannot be checked right now: try again shortly.');
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const sent = show(request.headers['content-type']);
    const message = `The body must be sent with Content-Type: application/json, not ${sent}.`;
    return new ApiError({ code: 'unsupported_media_type', message });
  }
  // The body was cut off or its framing was not HTTP.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return new ApiError({ code: 'invalid_json', message: 'The body is incomplete or not framed as HTTP.' });
  request.log.error({ err: error }, 'unexpected failure');
  const message = 'An unexpected error on our side: if it persists, report it with the request id.';
  return new ApiError({ code: 'internal_error', message, details: { request_id: request.id } });
}
