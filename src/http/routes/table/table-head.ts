import type { FastifyRequest } from 'fastify';
import { TIERS } from '../../../accounts/tiers.js';
import type { Config } from '../../../config.js';
import { optionRulesOf } from '../../../formats/request/options.js';
import {
  TABLE_FORMATS,
  TABLE_TYPES,
  type TableMediaType,
  type TableRequest,
} from '../../../formats/table/table-request.js';
import { ApiError } from '../../../prediction/errors/api-error.js';
import { show } from '../../../prediction/errors/shown-value.js';
import { perGeneration } from '../../../prediction/per-generation.js';
import type { Generation } from '../../../work/generation.js';
import { essenceOf, negotiateType } from '../../body/media-type.js';
import { checkAnnounced } from '../../body/upload.js';
import { requireChunks } from '../../server/malformed-requests.js';
import { callerOf } from '../../server/request-state.js';
import { readTableQuery } from './table-query.js';

/** Rows of a job: enough for a large record batch, and some 20 ms of work. */
const JOB_ROWS = 2000;

const rulesOf = perGeneration(({ artefacts }) => optionRulesOf(artefacts));

/** The request for a table, without its body. */
export interface TableHead {
  readonly request: TableRequest;
  readonly outputType: TableMediaType;
  readonly isGzip: boolean;
}

/** Reads all of a request but its body. @throws ApiError in the order of the interface */
export function readHead(request: FastifyRequest, config: Config, generation: Generation): TableHead {
  const { headers } = request;
  requireChunks(request, 'A table');
  const sent = essenceOf(headers['content-type']) as TableMediaType;
  const isTable = Object.hasOwn(TABLE_FORMATS, sent);
  const others = TABLE_TYPES.filter((type) => type !== sent);
  const outputType = negotiateType(request, isTable ? [sent, ...others] : TABLE_TYPES);
  if (!isTable) throw notATableType(headers['content-type']);
  const isGzip = isGzipped(request);
  const { tier } = callerOf(request);
  checkAnnounced(announcedBytesOf(request), limitBytesOf(request, config));
  const table = {
    format: TABLE_FORMATS[sent],
    output: TABLE_FORMATS[outputType],
    ...readTableQuery(request.query as Record<string, string>, rulesOf(generation)),
    tier,
    jobRows: JOB_ROWS,
    rowLimit: TIERS[tier].hasLargeBodies ? config.tableLimitRows : TIERS[tier].sitesPerBatch,
  };
  return { request: table, outputType, isGzip };
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
export function isGzipped({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding'];
  const coding = encoding?.toLowerCase() ?? 'identity';
  if (coding === 'identity' || coding === 'gzip') return coding === 'gzip';
  throw new ApiError({
    code: 'unsupported_media_type',
    message: `A table must be sent without a Content-Encoding or with gzip, not ${show(encoding)}.`,
  });
}
