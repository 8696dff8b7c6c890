import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { unsupportedMediaType } from '../errors/common-errors.js';
import { findJsonError } from './json-grammar.js';
import { readJson } from './json-reader.js';
import { KEPT_FIELDS } from './kept-fields.js';
import { readBody } from './read-body.js';

/** Up to here, where batches usually are, JSON.parse: it is faster for those, and takes about 10 ms at most for any body. */
const SMALL_BYTES = 64 * 1024;

/** Makes JSON the only body that the instance's routes take. */
export function useJsonBodies(app: FastifyInstance): void {
  parseBodiesWith(app, parseJson);
  app.addHook('preParsing', async (request) => checkContentType(request));
}

/**
 * Has the JSON bodies of the instance's routes parsed in a way of its own.
 * @param parse turns the bytes into what the routes find as `request.body`; throws ApiError
 */
export function parseBodiesWith(app: FastifyInstance, parse: (body: Buffer) => unknown): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request, payload, done) => {
    readBody(request, payload, (error, body) => {
      if (body === undefined) {
        done(error);
        return;
      }
      try {
        done(null, parse(body));
      } catch (invalid) {
        done(invalid as ApiError);
      }
    });
  });
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
 * The value of a JSON text: of a large one, what KEPT_FIELDS says.
 * @throws ApiError invalid_json
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw invalidJson('The body is empty: it must be a JSON object.');
  if (!isUtf8(body)) throw invalidJson('The body is not valid UTF-8.');
  if (body.length <= SMALL_BYTES) {
    try {
      return JSON.parse(body.toString('utf8'));
    } catch {
      // V8's message would quote the body, and does not always say where it is wrong.
    }
  }
  const errorAt = findJsonError(body);
  if (errorAt === undefined) return readJson(body, KEPT_FIELDS);
  const character = body.toString('utf8', 0, errorAt).length;
  const problem = errorAt === body.length ? 'it is truncated' : `it is wrong at character ${character}`;
  throw invalidJson(`The body is not valid JSON: ${problem}.`);
}

function invalidJson(message: string): ApiError {
  return new ApiError({ code: 'invalid_json', message });
}
