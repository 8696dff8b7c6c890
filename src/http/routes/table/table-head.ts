import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bodyLimitOf, TIERS } from '../../../accounts/tiers.js';
import type { Config } from '../../../config.js';
import { ApiError } from '../../../formats/errors/api-error.js';
import { show } from '../../../formats/errors/shown-value.js';
import { assumptionSchemas } from '../../../formats/request/option-numbers.js';
import { horizonSetOf } from '../../../formats/request/request-reader.js';
import {
  TABLE_FORMATS,
  TABLE_TYPES,
  type TableMediaType,
  type TableRequest,
} from '../../../formats/table/table-request.js';
import { ALL_HORIZONS, HORIZONS } from '../../../prediction/dimensions.js';
import { memoize, type PredictorData } from '../../../prediction/predictor-data.js';
import type { Generation } from '../../../work/generation.js';
import { negotiateType } from '../../body/media-type.js';
import { tooLarge } from '../../body/upload.js';
import { requireChunks } from '../../server/malformed-requests.js';
import { callerOf } from '../../server/request-state.js';
import { readQuery, wordListSchema } from '../query.js';

/** Rows of a chunk: enough for a large record batch, and about 20 ms of work. */
const CHUNK_ROWS = 2000;

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;
const UTF_8 = /^(utf-?8|us-ascii)$/i;

/** Reads a request except for its body. @throws ApiError in the order of checks that the interface defines */
export function readHead(request: FastifyRequest, config: Config, generation: Generation) {
  const { headers, query } = request;
  const { data } = generation;
  requireChunks(request, 'A table');
  const sent = headers['content-type']?.split(';', 1)[0].trim().toLowerCase() as TableMediaType;
  const isTable = Object.hasOwn(TABLE_FORMATS, sent);
  const others = TABLE_TYPES.filter((type) => type !== sent);
  const outputType = negotiateType(request, isTable ? [sent, ...others] : TABLE_TYPES);
  if (!isTable)
    throw unsupported(
      `with a Content-Type of ${TABLE_TYPES.join(', ')}, not ${show(headers['content-type'])}`,
    );
  const [, charset = 'utf-8'] = CHARSET.exec(headers['content-type'] ?? '') ?? [];
  if (!UTF_8.test(charset)) throw unsupported(`in UTF-8, not in the charset ${show(charset)}`);
  const body = readBodyHead(request, config);
  const { tier } = callerOf(request);
  const { hasLargeBodies, sitesPerBatch } = TIERS[tier];
  const readers = { horizons: (text: string) => text.split(',') };
  const { values, ...read } = readQuery(schemaOf(data), Object(query), readers, data);
  const years = values.horizons as string[] | undefined;
  const table: TableRequest = {
    format: TABLE_FORMATS[sent],
    output: TABLE_FORMATS[outputType],
    ...read,
    horizons: years === undefined ? ALL_HORIZONS : horizonSetOf(years.map(Number)),
    chunkRows: CHUNK_ROWS,
    limit: { tier, max: hasLargeBodies ? config.tableLimitRows : sitesPerBatch },
  };
  return { request: table, outputType, body };
}

/**
 * Reads what is known of a body before it arrives: its limit, and as `bytes` the most that it can have decompressed.
 * @throws ApiError unsupported_media_type, payload_too_large
 */
export function readBodyHead(request: FastifyRequest, { tableLimitBytes, bodyLimitBytes }: Config) {
  const { 'content-encoding': encoding = 'identity', 'content-length': length } = request.headers;
  const isGzip = /^(x-)?gzip$/i.test(encoding);
  if (!isGzip && encoding.toLowerCase() !== 'identity')
    throw unsupported(`without a Content-Encoding or with gzip, not ${show(encoding)}`);
  const limitBytes = bodyLimitOf(callerOf(request).tier, tableLimitBytes, bodyLimitBytes);
  const announcedBytes = Number(length ?? limitBytes);
  if (announcedBytes > limitBytes) throw tooLarge(limitBytes);
  return { isGzip, limitBytes, bytes: isGzip ? limitBytes : announcedBytes };
}

function unsupported(how: string): ApiError {
  return new ApiError({ code: 'unsupported_media_type', message: `A table must be sent ${how}.` });
}

/** The parameters of the query. @param assumptions the schemas of what may be assumed */
export function tableQuerySchema(assumptions: Record<string, z.ZodOptional>) {
  return z.object({
    horizons: wordListSchema('horizons', HORIZONS, 'Years. By default, all three.'),
    include: wordListSchema('include', ['intervals'], 'What to add to the response.'),
    ...assumptions,
  });
}

const schemaOf = memoize((data: PredictorData) => tableQuerySchema(assumptionSchemas(data)));
