import type { Readable } from 'node:stream';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { ApiError } from '../../prediction/errors/api-error.js';
import { unsupportedMediaType } from '../errors/common-errors.js';
import { connectionOf } from '../server/connection.js';

const NOTHING = Buffer.alloc(0);

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
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ApiError({
      code: 'unsupported_media_type',
      message: 'The body must be sent without a Content-Encoding.',
    });
  }
}

/**
 * Reads the body of a request.
 * @param done gets the body, or FST_ERR_CTP_BODY_TOO_LARGE where more is announced or comes; nothing is kept then
 */
function readBody(
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const limitBytes = request.state.bodyLimitBytes ?? request.routeOptions.bodyLimit;
  const body = new BodyBuffer(limitBytes);
  const end = (error: Error | null) => {
    payload.off('data', onData).off('end', onEnd).off('error', onError);
    done(error, body.bytes);
  };
  const onData = (chunk: Buffer) => {
    if (!body.append(chunk)) end(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
  };
  const onEnd = () => end(null);
  const onError = (error: Error) => end(Object.assign(error, { statusCode: 400 })); // The caller broke off.
  if (Number(request.headers['content-length']) > limitBytes) {
    done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    return;
  }
  connectionOf(request.raw).sendContinue();
  payload.on('data', onData).on('end', onEnd).on('error', onError);
}

/**
 * Collects a body. Its memory follows the bytes that came, not the chunks they came in: at most one and a half times the
 * limit while a buffer is copied into a larger one, else at most the limit.
 */
class BodyBuffer {
  #memory: Buffer = NOTHING;
  #length = 0;

  constructor(private readonly limitBytes: number) {}

  /** @returns false, and takes nothing, where the body would be larger than the limit */
  append(chunk: Buffer): boolean {
    const start = this.#length;
    const length = start + chunk.length;
    if (length > this.limitBytes) return false;
    this.#length = length;
    // Most bodies are one chunk: it is the buffer, unless it keeps more memory alive than its own bytes.
    if (start === 0 && this.#memory === NOTHING && chunk.length === chunk.buffer.byteLength) {
      this.#memory = chunk;
      return true;
    }
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(capacityFor(length, this.limitBytes));
      this.#memory.copy(larger, 0, 0, start);
      this.#memory = larger;
    }
    chunk.copy(this.#memory, start);
    return true;
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }
}

/** The smallest of the limit, its half, its quarter and so on that holds `length`: a buffer is at most half of the next. */
function capacityFor(length: number, limitBytes: number): number {
  return Math.ceil(limitBytes / 2 ** Math.floor(Math.log2(limitBytes / length)));
}
