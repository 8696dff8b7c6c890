import type { Readable } from 'node:stream';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { ApiError } from '../../prediction/errors/api-error.js';
import { unsupportedMediaType } from '../errors/common-errors.js';
import { BodyBuffer } from './body-buffer.js';
import { sendContinue } from './expect-continue.js';

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
  sendContinue(request);
  payload.on('data', onData).on('end', onEnd).on('error', onError);
}
