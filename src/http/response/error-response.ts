import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { StoreUnavailableError } from '../../accounts/store/store-errors.js';
import { ApiError } from '../../prediction/errors/api-error.js';
import { JobError } from '../../work/job.js';
import { internalError, jobFailed, retryLater, unsupportedMediaType } from '../errors/common-errors.js';
import { DEFAULT_HEADERS, JSON_TYPE } from './headers.js';

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

/** Fastify's error handler: sends whatever a hook, a parser or a handler threw. @param timeoutMs that requests have */
export function errorHandler(timeoutMs: number) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { status, headers, body } = renderError(toApiError(error, request, timeoutMs));
    return reply.code(status).headers(headers).send(body);
  };
}

function toApiError(error: FastifyError, request: FastifyRequest, timeoutMs: number): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof JobError) return jobFailed(error.failure, request.log, request.id, timeoutMs);
  if (error instanceof StoreUnavailableError) {
    request.log.error({ reason: error.reason }, 'the key store cannot be reached');
    return retryLater('unavailable', 'Keys cannot be checked right now: try again shortly.');
  }
  const bodyLimit = request.state.bodyLimitBytes ?? request.routeOptions.bodyLimit;
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError({
        code: 'payload_too_large',
        message: `The body is larger than the limit of ${bodyLimit} bytes.`,
        details: { limit_bytes: bodyLimit },
      });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType(request.headers['content-type']);
  }
  // The body was cut off or its framing was not HTTP.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new ApiError({ code: 'invalid_json', message: 'The body is incomplete or not framed as HTTP.' });
  }
  return internalError(request.log, request.id, error);
}
