import { type CheckState, OpenTable } from '../../../../src/formats/table/open-table.js';
import type { TableJob, TableRequest } from '../../../../src/formats/table/table-request.js';
import { ALL_HORIZONS } from '../../../../src/prediction/dimensions.js';
import type { Predictor, PredictorData } from '../../../../src/prediction/predictor.js';
import type { GenerationData } from '../../../../src/work/serving/per-generation.js';

const JOB_ROWS = 500;

/** A request for a table as most callers make it. */
export function tableRequest(of: Partial<TableRequest> & Pick<TableRequest, 'format'>): TableRequest {
  return {
    output: of.format,
    horizons: ALL_HORIZONS,
    intervals: false,
    scenario: {},
    tier: 'hypha',
    rowLimit: 200_000,
    jobRows: 2000,
    ...of,
  };
}

/** Checks a body, in as many steps as it can be checked in, each by another thread's table. */
export function open(body: Uint8Array, request: TableRequest, context: GenerationData) {
  let state: CheckState | undefined;
  let table: OpenTable;
  do {
    table = new OpenTable(body, request, context);
    state = structuredClone(table.check(state, () => true));
  } while (!state.isChecked);
  return { table, state, rowCount: state.rowCount, ...table.ends(state) };
}

/** Answers a whole table as the service does, with the real models: its jobs by two threads in turns. */
export async function answerTable(
  body: Uint8Array | string,
  request: TableRequest,
  data: PredictorData,
  predictor: Predictor,
  jobRows = JOB_ROWS,
): Promise<Buffer> {
  const asked = { ...request, jobRows };
  const { table, state, head, tail } = open(Buffer.from(body), asked, contextOf(data));
  const tables = [table, new OpenTable(Buffer.from(body), asked, contextOf(data))];
  const parts = [head];
  for (const [index, first] of state.jobs.entries()) {
    for (let job: TableJob | undefined = first; job !== undefined; ) {
      const { bytes, rest } = await tables[index % tables.length].answer(state, job, predictor);
      parts.push(bytes);
      job = rest;
    }
  }
  return Buffer.concat([...parts, tail]);
}

const contexts = new WeakMap<PredictorData, GenerationData>();

export function contextOf(data: PredictorData): GenerationData {
  const context = contexts.get(data) ?? { artefacts: data, searchRadiusKm: data.searchRadiusKm };
  contexts.set(data, context);
  return context;
}
