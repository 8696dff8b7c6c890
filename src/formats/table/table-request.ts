import type { ApiError } from '../errors/api-error.js';
import type { AssumedValues } from '../request/option-numbers.js';
import { batchTooLarge, issueError, type TierLimit } from '../request/request-errors.js';

/** The formats of tables, in and out, by their media type. */
export const TABLE_FORMATS = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/vnd.apache.arrow.stream': 'arrow',
} as const;

export type TableMediaType = keyof typeof TABLE_FORMATS;
export const TABLE_TYPES = Object.keys(TABLE_FORMATS) as [TableMediaType, ...TableMediaType[]];
export type TableFormat = (typeof TABLE_FORMATS)[TableMediaType];

/** A checked request without its body; plain data that can be passed to another thread. */
export interface TableRequest {
  /** Format of the body. */
  readonly format: TableFormat;
  /** Format of the answer. */
  readonly output: TableFormat;
  /** Set of horizons as bits: bit i stands for HORIZONS[i]. */
  readonly horizons: number;
  readonly intervals: boolean;
  /** What the query assumes of climate and practice. */
  readonly assumed: AssumedValues;
  readonly limit: TierLimit;
  readonly chunkRows: number;
}

/** Consecutive rows of a table that are read, predicted and written in one step; plain data. */
export interface TableChunk {
  readonly from: number;
  readonly count: number;
  /** Where their bytes are in a body of text. */
  readonly start: number;
  readonly end: number;
}

/** How far the check of a body has come; plain data that can be passed to another thread. */
export interface TableState {
  readonly isChecked: boolean;
  /** Rows so far. */
  readonly rowCount: number;
  /** The chunks of these rows, in their order. */
  readonly chunks: readonly TableChunk[];
}

/** Most cells of a chunk, which take some dozen bytes each when they are parsed. */
const CHUNK_CELLS = 2 ** 18;

/** Most rows of a chunk of a table with columns of these names. */
export function maxRowsOf({ length }: readonly string[], { chunkRows }: TableRequest): number {
  return Math.min(chunkRows, Math.ceil(CHUNK_CELLS / Math.max(1, length)));
}

/** The error of a body that is not a table. @param message what is wrong and what would be right, without a full stop */
export function tableError(message: string, path = ''): ApiError {
  return issueError(path, message, 'table');
}

/** The error of a body with something wrong in one of its lines, counted from 1. */
export function lineError(line: number, message: string): ApiError {
  return tableError(`line ${line} ${message}`, `line ${line}`);
}

/** @throws ApiError batch_too_large */
export function checkRowCount(submitted: number, { limit }: TableRequest): void {
  if (submitted > limit.max) throw batchTooLarge(`The table has ${submitted} rows`, submitted, limit);
}
