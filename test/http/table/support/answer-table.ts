import type { GenerationData } from '../../../../src/http/serving/per-generation.js';
import { openTable } from '../../../../src/http/table/open-table.js';
import type { Pieces, TableRequest } from '../../../../src/http/table/table-contract.js';
import { ALL_HORIZONS } from '../../../../src/prediction/dimensions.js';
import { RECORD_BYTES, RowRecords } from '../../../../src/prediction/encoding/row-record.js';
import type { Predictor, PredictorData } from '../../../../src/prediction/predictor.js';
import { answer } from '../../../prediction/support/elements.js';

const RUN_ROWS = 500;

/** A request for a table as most callers make it. */
export function tableRequest(of: Partial<TableRequest> & Pick<TableRequest, 'format'>): TableRequest {
  return {
    output: of.format,
    horizons: ALL_HORIZONS,
    intervals: false,
    scenario: {},
    tier: 'hypha',
    rowLimit: 200_000,
    ...of,
  };
}

/** Opens a table in one go. */
export function open(body: Uint8Array, request: TableRequest, context: GenerationData) {
  const steps = openTable(body, request, context);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Answers a whole table as the service does, with the real models. */
export async function answerTable(
  body: Uint8Array | string,
  request: TableRequest,
  data: PredictorData,
  predictor: Predictor,
  runRows = RUN_ROWS,
): Promise<Buffer> {
  const table = open(Buffer.from(body), request, contextOf(data));
  const parts = [table.head()];
  const jobs = table.jobs(runRows);
  for (const [job, from] of jobs.entries()) {
    const count = (jobs[job + 1] ?? table.rowCount) - from;
    const { rows } = table.sites(from, count);
    const { status, json } = await answer(predictor, data, rows);
    const records = new RowRecords(status, json.subarray(0, rows.count * RECORD_BYTES));
    parts.push(...piecesOf(table.encode(from, count, records)));
  }
  return Buffer.concat([...parts, table.tail()]);
}

/** All pieces, with the one that is returned. */
export function piecesOf(pieces: Pieces): Uint8Array[] {
  const all: Uint8Array[] = [];
  for (;;) {
    const { value, done } = pieces.next();
    all.push(value);
    if (done) return all;
  }
}

const contexts = new WeakMap<PredictorData, GenerationData>();

export function contextOf(data: PredictorData): GenerationData {
  const context = contexts.get(data) ?? { artefacts: data, searchRadiusKm: data.searchRadiusKm };
  contexts.set(data, context);
  return context;
}
