import type { ErrorCode, ErrorObject } from '../../prediction/errors/api-error.js';
import type { Predictor, PredictorData } from '../../prediction/predictor.js';
import { RowRecords } from '../../prediction/row-record.js';
import { ROW_STATUS, SiteRows } from '../../prediction/site-rows.js';
import { ArrowOutput } from '../arrow/arrow-output.js';
import type { ArrowSource } from '../arrow/arrow-source.js';
import { type ArrowState, checkArrow, openArrow } from '../arrow/open-arrow.js';
import { type CsvState, checkCsv } from '../csv/check-csv.js';
import { csvSource } from '../csv/csv-source.js';
import { checkNdjson, type NdjsonState } from '../ndjson/check-ndjson.js';
import { ndjsonSource } from '../ndjson/ndjson-source.js';
import { placeError } from '../request/request-errors.js';
import { TextOutput } from '../text/text-output.js';
import { readPositions } from './input-columns.js';
import { PredictedRows } from './output-columns.js';
import { RowChecks } from './row-checks.js';
import type { TableChunk, TableRequest } from './table-request.js';
import type { TableOutput, TableSource } from './table-source.js';

/** How far the check of a body has come, by its format. */
export type CheckState = CsvState | NdjsonState | ArrowState;

export interface ChunkAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The rows with an answer. */
  readonly answered: number;
  readonly failures: readonly (readonly [code: ErrorCode, count: number])[];
  /** The rows that are not answered yet, since the answer would be too long. */
  readonly rest: TableChunk | undefined;
  readonly inferenceMs: number;
}

/** Most rows that are predicted for together: the memory of a predictor grows with them. */
const RUN_ROWS = 500;

interface CheckedTable {
  readonly source: TableSource;
  readonly checks: RowChecks;
  readonly output: TableOutput;
}

/** A body, which is checked and then answered. It keeps what was read of the body, and nothing else. */
export class OpenTable {
  readonly #body: Buffer;
  #arrow: ArrowSource | undefined;
  #checked: CheckedTable | undefined;
  /** Memory for the records of a chunk, which the next ones use again. */
  #records: RowRecords | undefined;

  /** @param data pass the same object for all tables of a generation: what is made of it is kept */
  constructor(
    body: Uint8Array,
    private readonly request: TableRequest,
    private readonly data: PredictorData,
  ) {
    this.#body = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  }

  /**
   * Checks some more of the body.
   * @param before how far the check has come; undefined at the beginning
   * @param isTimeUp asked from time to time: the check goes on with another call where it is
   * @throws ApiError invalid_request for a body that is no table, batch_too_large
   */
  check(before: CheckState | undefined, isTimeUp: () => boolean): CheckState {
    const { request } = this;
    switch (request.format) {
      case 'csv':
        return checkCsv(this.#body, request, before as CsvState | undefined, isTimeUp);
      case 'ndjson':
        return checkNdjson(this.#body, request, before as NdjsonState | undefined, isTimeUp);
      case 'arrow':
        return checkArrow(this.#stream, request, before as ArrowState | undefined, isTimeUp);
    }
  }

  /** What the answer begins with, and what it ends with. */
  ends(state: CheckState): { readonly head: Uint8Array; readonly tail: Uint8Array } {
    const { head, tail } = this.#open(state).output;
    return { head, tail };
  }

  /** Answers the rows of a chunk. @param state of the check at its end */
  async answer(state: CheckState, chunk: TableChunk, predictor: Predictor): Promise<ChunkAnswer> {
    const { source, checks, output } = this.#open(state);
    const rows = source.rows(chunk);
    const sites = checks.read(rows);
    if (this.#records === undefined || this.#records.count < sites.count)
      this.#records = RowRecords.create(sites);
    const { records, inferenceMs } = await predictRows(sites, predictor, this.#records);
    const errors = new Map<number, ErrorObject>();
    for (let row = 0; row < chunk.count; row++) {
      const status = records.status[row];
      if (Number.isNaN(sites.latitude[row])) errors.set(row, checks.error(rows, row));
      else if (status !== ROW_STATUS.answered) errors.set(row, placeError(status, sites, row, this.data));
    }
    const predicted = new PredictedRows(this.data.grid, records, sites.method);
    const { bytes, rowCount } = output.encode(rows, predicted, errors);
    const failures = new Map<ErrorCode, number>();
    let answered = rowCount;
    for (const [row, { code }] of errors) {
      if (row >= rowCount) continue;
      failures.set(code, (failures.get(code) ?? 0) + 1);
      answered--;
    }
    const { from, count, start, end } = chunk;
    const rest =
      rowCount < count
        ? { from: from + rowCount, count: count - rowCount, start: rows.starts?.[rowCount] ?? start, end }
        : undefined;
    return { bytes, answered, failures: [...failures], rest, inferenceMs };
  }

  get #stream(): ArrowSource {
    this.#arrow ??= openArrow(this.#body, this.request);
    return this.#arrow;
  }

  #open(state: CheckState): CheckedTable {
    if (this.#checked !== undefined) return this.#checked;
    const { request, data } = this;
    const source = this.#sourceOf(state);
    const checks = new RowChecks(data, request, readPositions(source.names));
    const Output = request.output === 'arrow' ? ArrowOutput : TextOutput;
    this.#checked = { source, checks, output: new Output(source, data, request) };
    return this.#checked;
  }

  #sourceOf(state: CheckState): TableSource {
    if (state.format === 'arrow') return this.#stream;
    if (state.format === 'ndjson') return ndjsonSource(this.#body, this.request, state);
    if (state.header === undefined) throw new Error('a table without a header');
    return csvSource(this.#body, state.header);
  }
}

/** Predicts rows, at most RUN_ROWS at a time. @param memory for at least as many records */
async function predictRows(rows: SiteRows, predictor: Predictor, memory: RowRecords) {
  const records = memory.slice(0, rows.count);
  let inferenceMs = 0;
  let run: SiteRows | undefined;
  for (let from = 0; from < rows.count; from += RUN_ROWS) {
    const count = Math.min(RUN_ROWS, rows.count - from);
    if (run?.count !== count) run = new SiteRows(count, rows.width);
    run.copyRows(0, rows, from, run.count);
    inferenceMs += (await predictor.predict(run, records.slice(from, run.count))).inferenceMs;
  }
  return { records, inferenceMs };
}
