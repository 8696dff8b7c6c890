import type { Data, Field, Vector } from 'apache-arrow';
import type { ErrorObject } from '../../prediction/errors/api-error.js';
import type { RowWriter } from '../text/row-writer.js';
import type { PredictedRows } from './output-columns.js';
import type { TableChunk } from './table-request.js';

/** The table in a body that was checked. */
export interface TableSource {
  readonly names: readonly string[];
  /** The line end of a CSV table; '\n' for other formats. */
  readonly lineEnd: '\n' | '\r\n';
  /** The columns as those of an Arrow table. */
  arrowFields(): readonly Field[];
  /** The metadata of an uploaded Arrow table. */
  readonly arrowMetadata?: ReadonlyMap<string, string>;
  /** The dictionaries of an uploaded Arrow table that were sent before a chunk, by their id. */
  dictionariesBefore?(chunk: TableChunk): ReadonlyMap<number, Vector>;
  rows(chunk: TableChunk): ChunkRows;
}

/** The uploaded cells of the rows of a chunk: both are counted from 0. Texts are UTF-8 as latin1. */
export interface ChunkRows {
  /** NaN for a cell that is not a number. */
  number(row: number, column: number): number;
  /** Whether a cell of an optional column states a number, be it valid or not. */
  statesNumber(row: number, column: number): boolean;
  /** What a cell states, as messages show it; undefined where it is empty. @param isText whether the column has texts */
  stated(row: number, column: number, isText: boolean): unknown;
  /** A cell as text; null where it is empty. */
  text(row: number, column: number): string | null;
  json(row: number, column: number): string;
  /** Copies the cells of a row as they were uploaded as CSV. @returns false where they must be written anew */
  copyCsv?(writer: RowWriter, row: number): boolean;
  /** Copies a row as it was uploaded as JSON, without its last brace and with a comma after its members. */
  copyJson?(writer: RowWriter, row: number): void;
  /** The rows as columns of Arrow: batches that follow each other, each with all columns. */
  arrowBatches(): Iterable<ArrowBatch>;
  /** The rows from one of them on. */
  rest(from: number): TableChunk;
}

export interface ArrowBatch {
  readonly rowCount: number;
  readonly columns: readonly Data[];
}

export interface RowOutcomes {
  /** The errors of rows that have no prediction. */
  readonly errors: ReadonlyMap<number, ErrorObject>;
  /** What columns are read from, a row for each of the chunk. */
  readonly predicted: PredictedRows;
}

/**
 * Bytes of an answer after which no more rows of a chunk are written. Rows may be far longer than they were: JSON repeats the
 * names of columns, and escapes.
 */
export const ENCODED_CHUNK_BYTES = 2 ** 22;

/** The answer to the first rows of a chunk. */
export interface EncodedRows {
  /** In memory of its own. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How many rows that is; fewer than the chunk has where these are more than ENCODED_CHUNK_BYTES. */
  readonly rowCount: number;
}

export interface TableOutput {
  head(): Uint8Array;
  /** Writes the rows of a chunk, uploaded columns first. */
  encode(rows: ChunkRows, outcomes: RowOutcomes, chunk: TableChunk): EncodedRows;
  tail(): Uint8Array;
}
