import type { Tier } from '../../../accounts/tiers.js';
import type { ErrorCode, ErrorObject } from '../../errors/api-error.js';
import type { Plan } from '../../plan/planner.js';
import type { TableRequest } from '../table-contract.js';

/** What the main thread asks of a table thread. A table has the number of the call that opened it. */
export type TableOrder =
  /** Reads the body of a plan. */
  | { readonly kind: 'plan'; readonly body: Uint8Array; readonly tier: Tier }
  /** The next step of the reading of a plan. */
  | { readonly kind: 'read'; readonly plan: number }
  | {
      readonly kind: 'open';
      readonly body: Uint8Array<ArrayBuffer>;
      readonly request: TableRequest;
      /** Rows of a job at most. */
      readonly jobRows: number;
    }
  /** The next step of the check of a table that is being opened. */
  | { readonly kind: 'check'; readonly table: number }
  /** Writes the rows of a job into its memory. */
  | ({ readonly kind: 'sites' } & TableJob)
  /** Begins to encode the rows of a job, whose memory has the outcomes of so many sites: the result is the first piece. */
  | ({ readonly kind: 'encode'; readonly siteCount: number } & TableJob)
  /** The next piece of that job. */
  | { readonly kind: 'piece'; readonly table: number }
  | { readonly kind: 'tail'; readonly table: number };

/** The rows [from, from + count) of a table. */
interface TableJob {
  readonly table: number;
  readonly from: number;
  readonly count: number;
  /** Which memory of the table it has. */
  readonly memory: number;
}

/** A piece of the rows of a job. */
export interface EncodedPiece {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
  /** The rows of the job that have an error, by its code: with its first piece. */
  readonly failures: readonly (readonly [code: ErrorCode, count: number])[];
}

/** A table that was checked and is open. */
export interface OpenedTable {
  readonly rowCount: number;
  /** The first row of each job. */
  readonly jobs: Uint32Array;
  readonly head: Uint8Array;
  /** For JOBS_UNDER_WAY jobs: see JobMemory. */
  readonly memories: readonly SharedArrayBuffer[];
  readonly memoryRows: number;
  readonly memoryWidth: number;
}

/** The results of orders by their kind. */
export interface TableResults {
  /** Undefined while the reading goes on. */
  readonly plan: Plan | undefined;
  readonly read: Plan | undefined;
  /** Undefined while the check goes on. */
  readonly open: OpenedTable | undefined;
  readonly check: OpenedTable | undefined;
  readonly sites: { readonly count: number; readonly width: number };
  readonly encode: EncodedPiece;
  readonly piece: EncodedPiece;
  readonly tail: Uint8Array;
}

/** A message to a table thread: an order with the number of its call, or that a table or plan is not needed any more. */
export type TableCall = { readonly call: number; readonly order: TableOrder } | { readonly close: number };

/** The answer to a call: each order has one. */
export type TableNotice = { readonly call: number } & (
  | { readonly kind: 'done'; readonly result: TableResults[keyof TableResults] }
  /** The body is no table. */
  | { readonly kind: 'refused'; readonly error: ErrorObject }
  /** A bug. */
  | { readonly kind: 'failed'; readonly error: Error }
);
