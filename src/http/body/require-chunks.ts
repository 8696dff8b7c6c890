import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../prediction/errors/api-error.js';

/**
 * Refuses HTTP/1.0, which has no chunks: an answer of unknown length that breaks off would end like one that is whole.
 * @param what is answered, with its article
 * @throws ApiError invalid_request
 */
export function requireChunks({ raw }: FastifyRequest, what: string): void {
  if (raw.httpVersion !== '1.0') return;
  const message = `${what} needs HTTP/1.1: in HTTP/1.0 an answer that breaks off would look whole.`;
  throw new ApiError({ code: 'invalid_request', message }, { connection: 'close' }, 400);
}
