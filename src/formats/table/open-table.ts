import type { Predictor } from '../../prediction/predictor.js';
import type { PredictorData } from '../../prediction/predictor-data.js';
import { RowRecords } from '../../prediction/row-record.js';
import { ROW_STATUS, SiteRows } from '../../prediction/site-rows.js';
import { arrowOutput } from '../arrow/arrow-output.js';
import { arrowReader } from '../arrow/open-arrow.js';
import { csvReader } from '../csv/csv-reader.js';
import type { ErrorCode, ErrorObject } from '../errors/api-error.js';
import { ndjsonReader } from '../ndjson/ndjson-reader.js';
import { placeError } from '../request/request-errors.js';
import { textOutput } from '../text/text-output.js';
import { readPositions } from './input-columns.js';
import { rowChecks } from './row-checks.js';
import type { TableChunk, TableRequest, TableState } from './table-request.js';
import { ENCODED_CHUNK_BYTES, type TableOutput, type TableReader } from './table-source.js';

/** The answer to the first rows of a chunk. */
export interface ChunkAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How many rows have an answer, and how many an error, by its code. */
  readonly outcomes: ReadonlyMap<'answered' | ErrorCode, number>;
  /** The other rows of the chunk, with which the answer would be too long. */
  readonly rest: TableChunk | undefined;
  readonly inferenceMs: number;
}

const READERS = { csv: csvReader, ndjson: ndjsonReader, arrow: arrowReader };

/** Most rows that are predicted for together: the memory of a predictor grows with them. */
const RUN_ROWS = 500;

export type OpenTable = ReturnType<typeof openTable>;

/**
 * Opens a table whose body is checked and then answered. It keeps what was read of the body, but no answers.
 * @param data pass the same object for all tables of a generation: what is derived from it is kept
 * @throws ApiError as `check`
 */
export function openTable(body: Uint8Array, request: TableRequest, data: PredictorData) {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const reader: TableReader = READERS[request.format](bytes, request);
  /** @param state of the check at its end, in this function and the others */
  const read = (state: TableState) => {
    const source = reader.source(state);
    const checks = rowChecks(data, request, readPositions(source.names));
    const outputOf = request.output === 'arrow' ? arrowOutput : textOutput;
    return { source, checks, output: outputOf(source, data, request) };
  };
  let checked: ReturnType<typeof read> | undefined;
  const checkedTable = (state: TableState) => {
    checked ??= read(state);
    return checked;
  };
  return {
    check: reader.check,

    /** What the answer begins with, and what it ends with. */
    ends(state: TableState): Pick<TableOutput, 'head' | 'tail'> {
      const { head, tail } = checkedTable(state).output;
      return { head, tail };
    },

    /** Answers the first rows of a chunk: at least one, and no more once the answer is long or the time is up. */
    async answer(
      state: TableState,
      chunk: TableChunk,
      predictor: Predictor,
      isTimeUp: () => boolean,
    ): Promise<ChunkAnswer> {
      const { source, checks, output } = checkedTable(state);
      const outcomes = new Map<'answered' | ErrorCode, number>();
      const parts: Uint8Array<ArrayBuffer>[] = [];
      let [byteCount, inferenceMs] = [0, 0];
      let rest = chunk;
      do {
        const rows = source.rows(rest);
        const sites = checks.read(rows);
        const { records, inferenceMs: partMs } = await predictRows(sites, predictor);
        const errors = new Map<number, ErrorObject>();
        for (let row = 0; row < sites.count; row++) {
          const status = records.status[row];
          if (Number.isNaN(sites.latitude[row])) errors.set(row, checks.error(rows, row));
          else if (status !== ROW_STATUS.answered) errors.set(row, placeError(status, sites, row, data));
        }
        const predicted = { grid: data.grid, points: records.points, records, method: sites.method };
        const { bytes, rowCount } = output.encode(rows, predicted, errors);
        for (let row = 0; row < rowCount; row++) {
          const outcome = errors.get(row)?.code ?? 'answered';
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }
        parts.push(bytes);
        byteCount += bytes.length;
        inferenceMs += partMs;
        const { from, count, start, end } = rest;
        const next = rows.starts?.[rowCount] ?? start;
        rest = { from: from + rowCount, count: count - rowCount, start: next, end };
      } while (rest.count > 0 && byteCount < ENCODED_CHUNK_BYTES && !isTimeUp());
      const bytes = parts.length === 1 ? parts[0] : new Uint8Array(Buffer.concat(parts));
      return { bytes, outcomes, rest: rest.count > 0 ? rest : undefined, inferenceMs };
    },
  };
}

/** Predicts rows, at most RUN_ROWS at a time. */
async function predictRows(rows: SiteRows, predictor: Predictor) {
  const records = RowRecords.create(rows);
  let inferenceMs = 0;
  for (let from = 0; from < rows.count; from += RUN_ROWS) {
    const run = new SiteRows(Math.min(RUN_ROWS, rows.count - from), rows.width);
    run.copyRows(0, rows, from, run.count);
    inferenceMs += (await predictor.predict(run, records.slice(from, run.count))).inferenceMs;
  }
  return { records, inferenceMs };
}
