import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { unsupportedMediaType } from '../errors/common-errors.js';
import { readBody } from './read-body.js';

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
