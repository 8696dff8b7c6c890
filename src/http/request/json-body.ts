import type { Readable } from 'node:stream';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { unsupportedMediaType } from '../errors/common-errors.js';

/** Makes JSON the only body that the instance's routes take; `request.body` is its bytes. */
export function useJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', readBody);
  app.addHook('preParsing', async (request) => checkContentType(request));
}

/** Fastify would take a POST without any body, and cannot undo a content encoding. */
function checkContentType({ method, headers }: FastifyRequest): void {
  if (method !== 'POST') return;
  if (headers['content-type'] === undefined) throw unsupportedMediaType(undefined);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new ApiError({
      code: 'unsupported_media_type',
      message: 'The body must be sent without a Content-Encoding.',
    });
  }
}

const NOTHING = Buffer.alloc(0);

/**
 * Reads the body of a request. Its memory follows the bytes that came, not the chunks they came in: at most one and a half
 * times the route's limit while a buffer is copied into a larger one, else at most the limit.
 * @param done gets the body, or FST_ERR_CTP_BODY_TOO_LARGE where more is announced or comes; nothing is kept then
 */
function readBody(
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const limitBytes = request.routeOptions.bodyLimit;
  let memory: Buffer = NOTHING;
  let length = 0;
  const end = (error: Error | null) => {
    payload.off('data', onData).off('end', onEnd).off('error', onError);
    done(error, memory.subarray(0, length));
  };
  const onData = (chunk: Buffer) => {
    const start = length;
    length += chunk.length;
    if (length > limitBytes) return end(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    // Most bodies are one chunk: it is the buffer, unless it keeps more memory alive than its own bytes.
    if (start === 0 && chunk.length === chunk.buffer.byteLength) {
      memory = chunk;
      return;
    }
    if (length > memory.length) {
      const larger = Buffer.allocUnsafeSlow(capacityFor(length, limitBytes));
      memory.copy(larger, 0, 0, start);
      memory = larger;
    }
    chunk.copy(memory, start);
  };
  const onEnd = () => end(null);
  const onError = (error: Error) => end(Object.assign(error, { statusCode: 400 })); // The caller broke off.
  if (Number(request.headers['content-length']) > limitBytes) {
    done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    return;
  }
  payload.on('data', onData).on('end', onEnd).on('error', onError);
}

/** The smallest of the limit, its half, its quarter and so on that holds `length`: a buffer is at most half of the next. */
function capacityFor(length: number, limitBytes: number): number {
  return Math.ceil(limitBytes / 2 ** Math.floor(Math.log2(limitBytes / length)));
}
