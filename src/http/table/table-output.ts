import type { RunOutcomes } from './run-outcomes.js';
import type { Pieces } from './table-contract.js';
import type { UploadedRows } from './table-source.js';

/**
 * Bytes after which a piece of an answer ends. Rows may be far longer than they were: JSON repeats the names of columns, and
 * escapes.
 */
export const PIECE_BYTES = 2 ** 22;

/** Writes an answer in one of the formats. */
export interface TableOutput {
  /** What it begins with. */
  head(): Uint8Array;
  /** A run of rows. */
  encode(rows: UploadedRows, outcomes: RunOutcomes): Pieces;
  /** What it ends with. */
  tail(): Uint8Array;
}
