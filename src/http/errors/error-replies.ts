import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { redactKeys } from '../../accounts/key-format.js';
import { StoreUnavailableError } from '../../accounts/store/store-errors.js';
import { ApiError, show } from './api-error.js';

/** Seconds after which a caller may try again when the service cannot answer now. */
const RETRY_AFTER_S = 1;

/** "Cannot now": with the time after which to try again. */
export function retryLater(code: 'overloaded' | 'unavailable', message: string): ApiError {
  return new ApiError({ code, message }, { 'retry-after': String(RETRY_AFTER_S) });
}

/** Gives every failure of the instance's routes the one error body. */
export function useErrorReplies(app: FastifyInstance, bodyLimitBytes: number): void {
  app.setErrorHandler<FastifyError>((error, request, reply) =>
    sendError(reply, toApiError(error, request, bodyLimitBytes)),
  );
}

export function sendError(reply: FastifyReply, { error, status, headers }: ApiError): FastifyReply {
  return reply.code(status).headers(headers).send({ error });
}

function toApiError(error: FastifyError, request: FastifyRequest, bodyLimitBytes: number): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreUnavailableError) {
    request.log.error({ reason: error.reason }, 'the key store cannot be reached');
    return retryLater('unavailable', 'Keys cannot be checked right now: try again shortly.');
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError({
        code: 'payload_too_large',
        message: `The body is larger than the limit of ${bodyLimitBytes} bytes.`,
        details: { limit_bytes: bodyLimitBytes },
      });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType(request.headers['content-type']);
  }
  // The body broke off or was not framed as HTTP: the caller's doing.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new ApiError({ code: 'invalid_json', message: 'The body could not be read to its end.' });
  }
  return internalError(request.log, request.id, error);
}

/** Logs an unexpected failure and hides it from the caller behind the request id. */
export function internalError(log: FastifyBaseLogger, requestId: string, error: unknown): ApiError {
  log.error({ err: error }, 'unexpected failure');
  return new ApiError({
    code: 'internal_error',
    message: 'An unexpected failure on our side: if it lasts, report it with the request id.',
    details: { request_id: requestId },
  });
}

export function unsupportedMediaType(contentType: string | undefined): ApiError {
  return new ApiError({
    code: 'unsupported_media_type',
    message: `The body must be sent with Content-Type: application/json, not ${show(contentType)}.`,
  });
}

/** Characters of a path that an error message repeats. */
const SHOWN_PATH = 100;

export function notFound(url: string): ApiError {
  // Cut before it is searched for keys, and after: what is left of a key that the first cut divides goes with the second.
  const path = redactKeys(url.slice(0, 2 * SHOWN_PATH).split('?', 1)[0]).slice(0, SHOWN_PATH);
  return new ApiError({
    code: 'not_found',
    message: `There is nothing at ${path}: /openapi.json lists the endpoints.`,
  });
}
