import type { Tier } from '../../accounts/tiers.js';
import type { SiteRows } from '../../prediction/site-rows.js';

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
  /** Rows of a job at most. */
  readonly jobRows: number;
}

/** Consecutive rows of a table that are read, answered and written together. */
export interface TableJob {
  readonly from: number;
  readonly count: number;
  /** Where their bytes are in a body of text. */
  readonly start: number;
  readonly end: number;
}

/** How far the check of a body has come; plain data that can be passed to another thread. */
export interface TableState {
  /** All of the body was checked. */
  readonly isChecked: boolean;
  /** Rows so far. */
  readonly rowCount: number;
  /** The jobs of these rows, in their order. */
  readonly jobs: readonly TableJob[];
}

/** Rows of a job that can be predicted for. */
export interface TableSites {
  /** With OPTION.adjusted and adjustments where a scenario or an elevation is stated. */
  readonly rows: SiteRows;
  /** Where each is in the job, counted from 0. */
  readonly positions: Uint16Array;
}

/** The answer to the first rows of a job. */
export interface EncodedRows {
  /** In memory of its own. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How many rows that is; fewer than the job has where these are more than PIECE_BYTES. */
  readonly rowCount: number;
}

/** Most cells of a job, which take some dozen bytes each when they are parsed. */
const JOB_CELLS = 2 ** 18;

/** Most rows of a job of a table with columns of these names. */
export function maxRowsOf({ length }: readonly string[], { jobRows }: TableRequest): number {
  return Math.min(jobRows, Math.ceil(JOB_CELLS / Math.max(1, length)));
}
