import type { Readable } from 'node:stream';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { ApiError } from '../../formats/errors/api-error.js';
import { connectionOf } from '../server/connection.js';
import { tooLarge } from './upload.js';

/** Makes the routes of an instance accept only JSON; `request.body` has its bytes. */
export function useJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', readBody);
  // Fastify would take a POST without any body, and cannot undo a content encoding.
  app.addHook('preParsing', async ({ method, headers }) => {
    if (method !== 'POST') return;
    if (headers['content-type'] === undefined) throw new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE();
    const { 'content-encoding': encoding = 'identity' } = headers;
    const message = 'The body must be sent without a Content-Encoding.';
    if (encoding.toLowerCase() !== 'identity')
      throw new ApiError({ code: 'unsupported_media_type', message });
  });
}

/**
 * Reads a body. Its memory depends on its bytes, not on its chunks: at most the limit, and half as much again while it
 * is copied to a larger buffer.
 * @param done is called with the body, or with payload_too_large if more is announced or arrives
 */
function readBody(
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const limitBytes = request.state.bodyLimitBytes ?? request.routeOptions.bodyLimit;
  let memory: Buffer = Buffer.alloc(0);
  let length = 0;
  const end = (error: Error | null) => {
    payload.off('data', onData).off('end', onEnd).off('error', onError);
    done(error, memory.subarray(0, length));
  };
  const onData = (chunk: Buffer) => {
    const before = length;
    length += chunk.length;
    if (length > limitBytes) return end(tooLarge(limitBytes, ''));
    // Most bodies are one chunk: it is the memory, unless it keeps more alive than its own bytes.
    if (before === 0 && chunk.length === chunk.buffer.byteLength) {
      memory = chunk;
      return;
    }
    if (length > memory.length) {
      // The smallest of the limit, its half, its quarter and so on that suffices: a buffer is at most half of the next.
      const capacity = Math.ceil(limitBytes / 2 ** Math.floor(Math.log2(limitBytes / length)));
      const larger = Buffer.allocUnsafeSlow(capacity);
      memory.copy(larger, 0, 0, before);
      memory = larger;
    }
    chunk.copy(memory, before);
  };
  const onEnd = () => end(null);
  const onError = (error: Error) => end(Object.assign(error, { statusCode: 400 })); // The caller disconnected.
  if (Number(request.headers['content-length']) > limitBytes) {
    done(tooLarge(limitBytes, ''));
    return;
  }
  connectionOf(request.raw).sendContinue();
  payload.on('data', onData).on('end', onEnd).on('error', onError);
}
