import type { FastifyRequest } from 'fastify';
import { TIERS } from '../../../accounts/tiers.js';
import type { Config } from '../../../config.js';
import { allowedAssumptions } from '../../../formats/request/assumptions.js';
import { isWithin, queryNumber, rangeMessage } from '../../../formats/request/option-numbers.js';
import { type OptionRules, optionRulesOf } from '../../../formats/request/options.js';
import { type Issue, issuesError } from '../../../formats/request/request-errors.js';
import {
  TABLE_FORMATS,
  TABLE_TYPES,
  type TableMediaType,
  type TableRequest,
} from '../../../formats/table/table-request.js';
import { ALL_HORIZONS, HORIZONS } from '../../../prediction/dimensions.js';
import { ApiError } from '../../../prediction/errors/api-error.js';
import { SHOWN_ELEMENTS, show, showAll } from '../../../prediction/errors/shown-value.js';
import { perGeneration } from '../../../prediction/per-generation.js';
import type { Generation } from '../../../work/generation.js';
import { essenceOf, negotiateType } from '../../body/media-type.js';
import { tooLarge } from '../../body/upload.js';
import { requireChunks } from '../../server/malformed-requests.js';
import { callerOf } from '../../server/request-state.js';

/** Rows of a chunk: enough for a large record batch, and some 20 ms of work. */
const CHUNK_ROWS = 2000;

const rulesOf = perGeneration(({ artefacts }) => optionRulesOf(artefacts));

/** The request for a table, without its body. */
export interface TableHead {
  readonly request: TableRequest;
  readonly outputType: TableMediaType;
  readonly body: BodyHead;
}

/** What is known of a body before it arrives. */
interface BodyHead {
  readonly isGzip: boolean;
  /** The most bytes of a table that the caller may send. */
  readonly limitBytes: number;
  /** The most bytes of it when it is decompressed: what was announced, or the limit. */
  readonly bytes: number;
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
  const body = readBodyHead(request, config);
  const { tier } = callerOf(request);
  const { hasLargeBodies, sitesPerBatch } = TIERS[tier];
  const table = {
    format: TABLE_FORMATS[sent],
    output: TABLE_FORMATS[outputType],
    ...readTableQuery(request.query as Record<string, string>, rulesOf(generation)),
    tier,
    chunkRows: CHUNK_ROWS,
    rowLimit: hasLargeBodies ? config.tableLimitRows : sitesPerBatch,
  };
  return { request: table, outputType, body };
}

/** Reads what is known of a body before it arrives. @throws ApiError unsupported_media_type, payload_too_large */
export function readBodyHead(request: FastifyRequest, { tableLimitBytes, bodyLimitBytes }: Config): BodyHead {
  const { headers } = request;
  const isGzip = isGzipped(headers['content-encoding']);
  const limitBytes = TIERS[callerOf(request).tier].hasLargeBodies ? tableLimitBytes : bodyLimitBytes;
  const announcedBytes = Number(headers['content-length'] ?? limitBytes);
  if (announcedBytes > limitBytes) throw tooLarge(limitBytes);
  return { isGzip, limitBytes, bytes: isGzip ? limitBytes : announcedBytes };
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

/**
 * Reads the query of a table's request.
 * @param query its parameters; an array where one is given several times
 * @throws ApiError invalid_request with every issue found
 */
function readTableQuery(
  query: Readonly<Record<string, string | readonly string[]>>,
  rules: OptionRules,
): Pick<TableRequest, 'horizons' | 'intervals' | 'assumed'> {
  const assumptions = allowedAssumptions(rules);
  const known = ['horizons', 'include', ...assumptions.map(({ name }) => name)];
  const issues: Issue[] = [];
  const refuse = (path: string, message: string) => issues.push({ path, message });
  let unknown = 0;
  for (const [name, value] of Object.entries(query)) {
    if (!known.includes(name)) {
      if (unknown++ === SHOWN_ELEMENTS) break; // thousands go into an address
      refuse(name, `${show(name)} is not a parameter of the query: these are ${known.join(', ')}`);
    } else if (typeof value !== 'string') refuse(name, `${name} must be given once`);
  }
  const textOf = (name: string) => {
    const value = Object.hasOwn(query, name) ? query[name] : undefined;
    return typeof value === 'string' ? value : undefined;
  };

  const years = textOf('horizons')?.split(',');
  const wrongYears = years?.filter((text) => !HORIZONS.some((horizon) => String(horizon) === text)) ?? [];
  if (wrongYears.length > 0)
    refuse(
      'horizons',
      `horizons must be of ${HORIZONS.join(', ')}, separated by commas, not ${showAll(wrongYears)}`,
    );
  const horizons = HORIZONS.reduce(
    (set, horizon, h) => (years?.includes(String(horizon)) ? set | (1 << h) : set),
    0,
  );

  const words = (textOf('include') ?? '').split(',').filter((word) => word !== '');
  const wrongWords = words.filter((word) => word !== 'intervals');
  if (wrongWords.length > 0)
    refuse('include', `include can only be intervals for a table, not ${showAll(wrongWords)}`);
  const intervals = words.includes('intervals');
  if (intervals && !rules.hasIntervals)
    refuse('include', 'include cannot have intervals: the models of this service have none');

  const assumed: Record<string, number> = {};
  for (const number of assumptions) {
    const text = textOf(number.name);
    if (text === undefined) continue;
    const value = queryNumber(text);
    if (isWithin(value, number)) assumed[number.name] = value;
    else refuse(number.name, rangeMessage(number, text));
  }
  if (issues.length > 0) throw new ApiError(issuesError(issues));
  return { horizons: years === undefined ? ALL_HORIZONS : horizons, intervals, assumed };
}
