import type { ErrorObject } from '../../prediction/errors/api-error.js';
import type { RowRecords } from '../../prediction/row-record.js';
import { ROW_STATUS } from '../../prediction/site-rows.js';

/** The outcomes of a run of rows: of each row its record or its error. */
export interface RunOutcomes {
  readonly records: RowRecords;
  /** Int16 [rows]: the record of each row; -1 for rows that have an error. */
  readonly recordOf: Int16Array;
  /** The method of each row that has a record, as an index into PLANTING_METHODS. */
  readonly methods: Uint8Array;
  readonly errors: ReadonlyMap<number, ErrorObject>;
}

/** Takes the place of the method of a row that was not predicted for. */
export const NOT_PREDICTED = 255;

/**
 * @param records of the rows that were predicted for, in their order
 * @param methods of the rows; NOT_PREDICTED for the others
 * @param errorOf the error of a row; its status is undefined where it was not predicted for
 */
export function runOutcomes(
  records: RowRecords,
  methods: Uint8Array,
  errorOf: (row: number, status?: number) => ErrorObject,
): RunOutcomes {
  const recordOf = new Int16Array(methods.length);
  const errors = new Map<number, ErrorObject>();
  let next = 0;
  methods.forEach((method, row) => {
    const record = method === NOT_PREDICTED ? -1 : next++;
    const status = record === -1 ? undefined : records.status[record];
    recordOf[row] = status === ROW_STATUS.answered ? record : -1;
    if (status !== ROW_STATUS.answered) errors.set(row, errorOf(row, status));
  });
  return { records, recordOf, methods, errors };
}
