import type { Data } from 'apache-arrow';
import type { RunOutcomes } from './run-outcomes.js';
import type { EncodedRows } from './table-contract.js';
import type { JobRows } from './table-source.js';

/**
 * Bytes of an answer after which no more rows of a job are written. Rows may be far longer than they were: JSON repeats the
 * names of columns, and escapes.
 */
export const PIECE_BYTES = 2 ** 22;

/** Writes an answer in one of the formats. */
export interface TableOutput {
  /** What it begins with. */
  head(): Uint8Array;
  /**
   * Writes the rows of a job.
   * @param before the uploaded columns as they were before the job, without rows; undefined for the first job
   */
  encode(rows: JobRows, outcomes: RunOutcomes, before: readonly Data[] | undefined): EncodedRows;
  /** What it ends with. */
  tail(): Uint8Array;
}
