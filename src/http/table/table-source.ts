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
  /** The rows as columns: parts that follow each other, each with all columns, of about PIECE_BYTES at most. */
  arrowParts(): Iterable<ArrowPart>;
}

export interface ArrowPart {
  readonly rowCount: number;
  readonly columns: readonly Data[];
}

/** A checked body: the uploaded table. Rows are counted from 0. */
export interface TableSource {
  readonly rowCount: number;
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
