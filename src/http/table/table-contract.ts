import type { Tier } from '../../accounts/tiers.js';
import type { RowRecords } from '../../prediction/encoding/row-record.js';
import type { SiteRows } from '../../prediction/site-rows.js';
import type { ErrorCode } from '../errors/api-error.js';

/** The formats of tables, in and out, by their media type. */
export const TABLE_FORMATS = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/vnd.apache.arrow.stream': 'arrow',
} as const;

export type TableMediaType = keyof typeof TABLE_FORMATS;
export const TABLE_TYPES = Object.keys(TABLE_FORMATS) as [TableMediaType, ...TableMediaType[]];
export type TableFormat = (typeof TABLE_FORMATS)[TableMediaType];

/** What a request asks for beside its body; checked, and plain data that can be passed to another thread. */
export interface TableRequest {
  /** Format of the body. */
  readonly format: TableFormat;
  /** Format of the answer. */
  readonly output: TableFormat;
  /** Set of horizons as bits: bit i stands for HORIZONS[i]. */
  readonly horizons: number;
  readonly intervals: boolean;
  /** A changed climate; each of them absent where the query has none. */
  readonly scenario: { readonly warming_c?: number; readonly precipitation_change_percent?: number };
  readonly tier: Tier;
  /** Most rows that the tier allows. */
  readonly rowLimit: number;
}

/** A run of rows: those that can be predicted for. */
export interface TableSites {
  /** With OPTION.record, and with OPTION.adjusted and adjustments where a scenario or an elevation is stated. */
  readonly rows: SiteRows;
  /** Where each is in the run, counted from 0. */
  readonly positions: Uint16Array;
}

/** Rows of an answer in pieces of bounded size, each in memory of its own; the last one is returned. */
export type Pieces = Generator<Uint8Array, Uint8Array, undefined>;

/**
 * A table whose body was checked as a whole: nothing of it throws any more. It keeps the body and little else; rows are
 * read again wherever they are needed. Its rows are counted from 0.
 */
export interface OpenTable {
  readonly rowCount: number;
  /** How many of the rows encoded so far have an error, by its code. */
  readonly failures: ReadonlyMap<ErrorCode, number>;
  /** The first rows of the jobs in which the rows are read and answered, each of at most `maxRows`. */
  jobs(maxRows: number): Uint32Array;
  /** The rows [from, from + count) without those that have an error already. */
  sites(from: number, count: number): TableSites;
  /** What the answer begins with. */
  head(): Uint8Array;
  /**
   * The rows [from, from + count) of the answer in their order, each once; the next ones are encoded when these have ended.
   * @param records the outcomes of the rows of `sites(from, count)`, in their order
   */
  encode(from: number, count: number, records: RowRecords): Pieces;
  /** What it ends with. */
  tail(): Uint8Array;
}
