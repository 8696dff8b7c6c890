import type { ErrorCode } from '../../prediction/errors/api-error.js';
import type { GenerationData } from '../../prediction/per-generation.js';
import type { Predictor } from '../../prediction/predictor.js';
import { RowRecords } from '../../prediction/row-record.js';
import { SiteRows } from '../../prediction/site-rows.js';
import { ArrowOutput } from '../arrow/arrow-output.js';
import type { ArrowSource } from '../arrow/arrow-source.js';
import { type ArrowState, checkArrow, openArrow } from '../arrow/open-arrow.js';
import { CsvSource } from '../csv/csv-source.js';
import { type CsvState, checkCsv } from '../csv/open-csv.js';
import { checkNdjson, type NdjsonState, ndjsonSource } from '../ndjson/open-ndjson.js';
import { csvFormat, NDJSON } from '../text/text-formats.js';
import { TextOutput } from '../text/text-output.js';
import { RowChecks } from './row-checks.js';
import { NOT_PREDICTED, runOutcomes } from './run-outcomes.js';
import type { TableJob, TableRequest } from './table-contract.js';
import type { TableOutput } from './table-output.js';
import type { TableSource } from './table-source.js';

/** How far the check of a body has come, by its format. */
export type CheckState = CsvState | NdjsonState | ArrowState;

/** The answer to the rows of a job. */
export interface JobAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The rows with an answer. */
  readonly answered: number;
  /** The rows that have an error, by its code. */
  readonly failures: readonly (readonly [code: ErrorCode, count: number])[];
  /** The rows that are not answered yet, since the answer would be too long. */
  readonly rest: TableJob | undefined;
  readonly inferenceMs: number;
}

/** Most rows that are predicted for together: the memory of a predictor grows with them. */
const RUN_ROWS = 500;

/** A body, which is checked and then answered. It keeps what was read of the body, and nothing else. */
export class OpenTable {
  readonly #body: Buffer;
  #arrow: ArrowSource | undefined;
  #source: TableSource | undefined;
  #output: TableOutput | undefined;
  readonly #checks: RowChecks;

  /** @param context pass the same object for all tables of a generation: what is made of it is kept */
  constructor(
    body: Uint8Array,
    private readonly request: TableRequest,
    private readonly context: GenerationData,
  ) {
    this.#body = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    this.#checks = new RowChecks(context, request);
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
    const output = this.#outputOf(state);
    return { head: output.head(), tail: output.tail() };
  }

  /** Answers the rows of a job. @param state of the check at its end */
  async answer(state: CheckState, job: TableJob, predictor: Predictor): Promise<JobAnswer> {
    const source = this.#sourceOf(state);
    const read = source.rows(job);
    const { rows, positions } = read.sites(this.#checks);
    const methods = new Uint8Array(job.count).fill(NOT_PREDICTED);
    for (let i = 0; i < rows.count; i++) methods[positions[i]] = rows.method[i];
    const { records, inferenceMs } = await predict(rows, predictor);
    const outcomes = runOutcomes(records, methods, (row, status) => {
      const site = read.stated(row, this.#checks);
      return status === undefined ? this.#checks.error(site) : this.#checks.placeError(status, site);
    });
    const before = job.from > 0 ? source.columnsBefore(job) : undefined;
    const { bytes, rowCount } = this.#outputOf(state).encode(read, outcomes, before);
    const failures = new Map<ErrorCode, number>();
    let failed = 0;
    for (const [row, { code }] of outcomes.errors) {
      if (row >= rowCount) continue;
      failures.set(code, (failures.get(code) ?? 0) + 1);
      failed++;
    }
    const rest = rowCount < job.count ? read.rest(rowCount) : undefined;
    return { bytes, answered: rowCount - failed, failures: [...failures], rest, inferenceMs };
  }

  get #stream(): ArrowSource {
    this.#arrow ??= openArrow(this.#body, this.request);
    return this.#arrow;
  }

  #sourceOf(state: CheckState): TableSource {
    this.#source ??= this.#open(state);
    return this.#source;
  }

  #open(state: CheckState): TableSource {
    if (state.format === 'arrow') return this.#stream;
    if (state.format === 'ndjson') return ndjsonSource(this.#body, this.request, state);
    if (state.header === undefined) throw new Error('a table without a header');
    return new CsvSource(this.#body, state.header);
  }

  #outputOf(state: CheckState): TableOutput {
    const { request } = this;
    const { artefacts } = this.context;
    if (this.#output !== undefined) return this.#output;
    const source = this.#sourceOf(state);
    if (request.output === 'arrow') this.#output = new ArrowOutput(source, artefacts, request);
    else {
      const format = request.output === 'csv' ? csvFormat(source, request) : NDJSON;
      this.#output = new TextOutput(format, artefacts, request);
    }
    return this.#output;
  }
}

/** Predicts rows. */
async function predict(rows: SiteRows, predictor: Predictor) {
  const records = RowRecords.create(rows);
  let inferenceMs = 0;
  for (let from = 0; from < rows.count; from += RUN_ROWS) {
    const run = new SiteRows(Math.min(RUN_ROWS, rows.count - from), rows.width);
    run.copyRows(0, rows, from, run.count);
    inferenceMs += (await predictor.predict(run, records.part(from, run.count))).inferenceMs;
  }
  return { records, inferenceMs };
}
