import type { Data, Field } from 'apache-arrow';
import type { RowChecks, StatedSite } from './row-checks.js';
import type { TableSites } from './table-contract.js';
import type { RowWriter } from './text/row-writer.js';

/** The uploaded columns of a run of rows, counted from its first. */
export interface UploadedRows {
  /** Writes the cells of a row as CSV, without a line end. */
  writeCsv(writer: RowWriter, row: number): void;
  /** Writes a row as the beginning of a JSON object: its members, each followed by a comma. */
  writeJson(writer: RowWriter, row: number): void;
  /** The rows as columns: parts that follow each other, each with all columns. */
  arrowParts(): Iterable<ArrowPart>;
}

export interface ArrowPart {
  readonly rowCount: number;
  readonly columns: readonly Data[];
}

/** The rows [from, from + count). */
export interface RowRange {
  readonly from: number;
  readonly count: number;
}

/** Most bytes, and most cells, of a job: its rows are parsed at once, and a cell takes some dozen bytes then. */
export const JOB_BYTES = 2 ** 20;
export const JOB_CELLS = 2 ** 18;

/** A checked body: the uploaded table. Rows are counted from 0. */
export interface TableSource {
  readonly rowCount: number;
  /** All rows, in jobs that do not keep the thread for long: each has at least one row, and at most `maxRows`. */
  jobs(maxRows: number): Iterable<RowRange>;
  /** The names of its columns, in their order. */
  readonly names: readonly string[];
  /** The columns as those of an Arrow table. */
  arrowFields(): readonly Field[];
  /** The metadata of an Arrow table. */
  arrowMetadata(): ReadonlyMap<string, string>;
  /** The line end of a CSV table; '\n' for other formats. */
  readonly lineEnd: '\n' | '\r\n';
  /** The rows [from, from + count) that can be predicted for. */
  sites(from: number, count: number, checks: RowChecks): TableSites;
  /** What a row states of its site. */
  stated(row: number, checks: RowChecks): StatedSite;
  /** The uploaded columns of the rows [from, from + count). */
  run(from: number, count: number): UploadedRows;
}
