import type { FastifyRequest } from 'fastify';
import { TIERS } from '../../accounts/tiers.js';
import type { Config } from '../../config.js';
import { ApiError } from '../errors/api-error.js';
import { show } from '../errors/shown-value.js';
import { essenceOf, negotiateType } from '../request/media-type.js';
import { optionRulesOf } from '../request/option-schemas.js';
import { checkAnnounced } from '../request/upload.js';
import { type AskedTable, callerOf } from '../server/request-state.js';
import { perGeneration, type Serving } from '../serving/serving.js';
import { TABLE_FORMATS, TABLE_TYPES, type TableMediaType } from './table-contract.js';
import { readTableQuery } from './table-query.js';

const rulesOf = perGeneration(({ artefacts }) => optionRulesOf(artefacts));

/** Reads all of a request but its body. @throws ApiError in the order of the interface */
export function readHead(request: FastifyRequest, config: Config, serving: Serving): AskedTable {
  const { headers, raw } = request;
  if (raw.httpVersion === '1.0') throw notChunked();
  const sent = essenceOf(headers['content-type']) as TableMediaType;
  const isTable = Object.hasOwn(TABLE_FORMATS, sent);
  const others = TABLE_TYPES.filter((type) => type !== sent);
  const outputType = negotiateType(request, isTable ? [sent, ...others] : TABLE_TYPES);
  if (!isTable) throw notATableType(headers['content-type']);
  const isGzip = isGzipped(headers['content-encoding']);
  const { tier } = callerOf(request);
  checkAnnounced(announcedBytesOf(request), limitBytesOf(request, config));
  const table = {
    format: TABLE_FORMATS[sent],
    output: TABLE_FORMATS[outputType],
    ...readTableQuery(request.query as Record<string, string>, rulesOf(serving.current)),
    tier,
    rowLimit: TIERS[tier].hasLargeBodies ? config.tableLimitRows : TIERS[tier].sitesPerBatch,
  };
  return { request: table, outputType, isGzip };
}

/** Without chunks, an answer that breaks off ends like one that is whole. */
function notChunked(): ApiError {
  const message = 'A table needs HTTP/1.1: in HTTP/1.0 an answer that breaks off would look whole.';
  return new ApiError({ code: 'invalid_request', message }, { connection: 'close' }, 400);
}

/** The most bytes of a table that the caller may send. */
export function limitBytesOf(request: FastifyRequest, { tableLimitBytes, bodyLimitBytes }: Config): number {
  return TIERS[callerOf(request).tier].hasLargeBodies ? tableLimitBytes : bodyLimitBytes;
}

/** The Content-Length of a request, if it has one. */
export function announcedBytesOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

function notATableType(contentType: string | undefined): ApiError {
  return new ApiError({
    code: 'unsupported_media_type',
    message: `A table must be sent with a Content-Type of ${TABLE_TYPES.join(', ')}, not ${show(contentType)}.`,
  });
}

/** Whether the body is compressed. @throws ApiError unsupported_media_type for another coding than gzip */
function isGzipped(encoding: string | undefined): boolean {
  const coding = encoding?.toLowerCase() ?? 'identity';
  if (coding === 'identity' || coding === 'gzip') return coding === 'gzip';
  throw new ApiError({
    code: 'unsupported_media_type',
    message: `A table must be sent without a Content-Encoding or with gzip, not ${show(encoding)}.`,
  });
}
