import type { RunOutcomes } from './run-outcomes.js';
import type { UploadedRows } from './table-source.js';

/** Writes an answer in one of the formats. */
export interface TableOutput {
  /** What it begins with. */
  head(): Uint8Array;
  /** A run of rows, in memory of its own. */
  encode(rows: UploadedRows, outcomes: RunOutcomes): Uint8Array;
  /** What it ends with. */
  tail(): Uint8Array;
}
