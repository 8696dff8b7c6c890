import type { Data, Field } from 'apache-arrow';
import type { RowWriter } from '../text/row-writer.js';
import type { RowChecks, StatedSite } from './row-checks.js';
import type { TableJob, TableSites } from './table-contract.js';

/** The uploaded columns of rows, counted from the first of them. */
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

/** Most bytes of a job, if it has more than one row. */
export const JOB_BYTES = 2 ** 20;

/** The rows of a job, counted from 0. */
export interface JobRows extends UploadedRows {
  /** Those that can be predicted for. */
  sites(checks: RowChecks): TableSites;
  /** What a row states of its site. */
  stated(row: number, checks: RowChecks): StatedSite;
  /** The rows from one of them on. */
  rest(from: number): TableJob;
}

/** The table in a body that was checked. */
export interface TableSource {
  /** The names of its columns, in their order. */
  readonly names: readonly string[];
  /** The columns as those of an Arrow table. */
  arrowFields(): readonly Field[];
  /** The metadata of an Arrow table. */
  arrowMetadata(): ReadonlyMap<string, string>;
  /** The columns of an Arrow table without rows, as they are where a job begins that is not the first. */
  columnsBefore(job: TableJob): readonly Data[];
  /** The line end of a CSV table; '\n' for other formats. */
  readonly lineEnd: '\n' | '\r\n';
  /** Reads the rows of a job. */
  rows(job: TableJob): JobRows;
}
