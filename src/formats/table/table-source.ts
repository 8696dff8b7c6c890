import type { Data, Schema, Vector } from 'apache-arrow';
import type { ErrorObject } from '../errors/api-error.js';
import type { RowWriter } from '../text/row-writer.js';
import type { PredictedRows } from './output-columns.js';
import type { TableChunk, TableState } from './table-request.js';

/** Reads a body in a format. */
export interface TableReader {
  /**
   * Checks some more of the body.
   * @param before how far the check has come; undefined at the beginning
   * @param isTimeUp called from time to time; if it returns true, the check stops and the next call continues it
   * @throws ApiError invalid_request for a body that is no table, batch_too_large
   */
  check(before: TableState | undefined, isTimeUp: () => boolean): TableState;
  /** @param state of the check at its end */
  source(state: TableState): TableSource;
}

/** The table in a body that was checked. */
export interface TableSource {
  readonly names: readonly string[];
  /** The line end of a CSV table; other formats have none. */
  readonly lineEnd?: '\n' | '\r\n';
  /** Whether a CSV table begins with a byte order mark, without which Excel misreads characters beyond ASCII. */
  readonly hasMark?: boolean;
  /** The columns as those of an Arrow table, with the metadata of an uploaded one. */
  readonly arrowSchema: Schema;
  /** The dictionaries of an uploaded Arrow table that were sent before a chunk, by their id. */
  dictionariesBefore?(chunk: TableChunk): ReadonlyMap<number, Vector>;
  /** The first rows of a chunk, at least one; not all if they are many cells or in several record batches. */
  rows(chunk: TableChunk): ChunkRows;
}

/** The uploaded cells of a chunk, by row and column counted from 0. Texts are UTF-8 decoded as latin1. */
export interface ChunkRows {
  readonly chunk: TableChunk;
  /** Where each row starts in a body of text, and where the last one ends. */
  readonly starts?: Uint32Array;
  /** A cell as a number: NaN if it is not one, undefined if it is empty. */
  number(row: number, column: number): number | undefined;
  /** The value of a cell for error messages; undefined if it is empty. @param isText whether the column has texts */
  stated(row: number, column: number, isText: boolean): unknown;
  /** A cell as text; null where it is empty. */
  text(row: number, column: number): string | null;
  json(row: number, column: number): string;
  /**
   * Copies a row of text as it was uploaded, without its line end and the last brace of JSON. A comma follows the values.
   * @returns false where its cells must be written anew
   */
  copy?(writer: RowWriter, row: number): boolean;
  arrowColumns(): readonly Data[];
}

/** The errors of the rows of a chunk that have no prediction. */
export type RowErrors = ReadonlyMap<number, ErrorObject>;

/**
 * Bytes of an answer after which no more rows of a chunk are written. Rows may become far longer: JSON repeats the
 * names of columns, and escapes.
 */
export const ENCODED_CHUNK_BYTES = 2 ** 22;

export interface TableOutput {
  readonly head: Uint8Array;
  /**
   * Writes the first rows of a chunk, uploaded columns first, and may stop after ENCODED_CHUNK_BYTES.
   * @param predicted a row for each of the chunk
   * @returns the answer to `rowCount` rows, in memory of its own
   */
  encode(
    rows: ChunkRows,
    predicted: PredictedRows,
    errors: RowErrors,
  ): { readonly bytes: Uint8Array<ArrayBuffer>; readonly rowCount: number };
  readonly tail: Uint8Array;
}
