import { LRUCache } from 'lru-cache';
import { ApiError, type ErrorObject } from '../formats/errors/api-error.js';
import { encodeTile } from '../formats/geotiff/tiles.js';
import { predictSlice, writeUnits } from '../formats/plan/plan-answer.js';
import { readPlan, STEP_MS } from '../formats/plan/plan-reader.js';
import { predictSurfacePoints } from '../formats/surface/surface.js';
import { writeChunk } from '../formats/surface/surface-output.js';
import { type OpenTable, openTable } from '../formats/table/open-table.js';
import type { TableChunk, TableRequest, TableState } from '../formats/table/table-request.js';
import type { Predictor } from '../prediction/predictor.js';
import type { PredictorData } from '../prediction/predictor-data.js';
import type { SharedRange } from './memory/shared-memory.js';

export interface TableOrder {
  /** Unique to each table. */
  readonly id: number;
  readonly body: SharedRange;
  readonly request: TableRequest;
}

/** The bytes of the bodies of open tables that are kept between steps: an Arrow stream of small batches takes more itself. */
const KEPT_BYTES = 2 ** 24;
/** A larger body counts as this many bytes, so that at least four tables are kept. */
const MAX_COUNTED_BYTES = KEPT_BYTES / 4;

/** The last open tables. Reopening a stream of thousands of record batches for each step would take most of the time. */
const tables = new LRUCache<number, OpenTable>({ max: 32, maxSize: KEPT_BYTES });

function openTableOf({ id, body, request }: TableOrder, data: PredictorData): OpenTable {
  const bytes = new Uint8Array(body.memory, body.at, body.length);
  const table = tables.get(id) ?? openTable(bytes, request, data);
  tables.set(id, table, { size: Math.min(body.length + 1, MAX_COUNTED_BYTES) });
  return table;
}

/** Makes a function that tells whether a step that begins now has taken its time. */
function stepTimer(): () => boolean {
  const endMs = performance.now() + STEP_MS;
  return () => performance.now() > endMs;
}

/**
 * Checks some more of a table.
 * @param state how far the check has come
 * @returns what the answer begins and ends with, when all is checked
 */
function checkTableStep(
  { table, state: before }: Readonly<{ table: TableOrder; state: TableState | undefined }>,
  { data }: Predictor,
) {
  const open = openTableOf(table, data);
  const state = open.check(before, stepTimer());
  return { state, ends: state.isChecked ? open.ends(state) : undefined };
}

/** What a worker does for each kind of order. The `bytes` of a result are in memory of their own. */
const STEPS = {
  'check-table': checkTableStep,
  /** `state` is that of the check at its end, without the chunks. */
  'answer-rows': (
    { table, state, chunk }: Readonly<{ table: TableOrder; state: TableState; chunk: TableChunk }>,
    predictor: Predictor,
  ) => openTableOf(table, predictor.data).answer(state, chunk, predictor, stepTimer()),
  'read-plan': readPlan,
  'predict-slice': predictSlice,
  'write-units': writeUnits,
  'predict-points': predictSurfacePoints,
  'write-chunk': writeChunk,
  'write-tile': encodeTile,
};

export type StepKind = keyof typeof STEPS;

/** What the main thread asks of a worker. */
export type StepOrder = {
  [Kind in StepKind]: { readonly kind: Kind } & Parameters<(typeof STEPS)[Kind]>[0];
}[StepKind];

export type StepResults = { readonly [Kind in StepKind]: Awaited<ReturnType<(typeof STEPS)[Kind]>> };

/** A step ends with its result, or with what is wrong with the request. */
export type StepOutcome<Kind extends StepKind> =
  | { readonly result: StepResults[Kind] }
  | { readonly refusal: ErrorObject };

export async function doStep(order: StepOrder, predictor: Predictor): Promise<StepOutcome<StepKind>> {
  try {
    return { result: await STEPS[order.kind](order as never, predictor) };
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error.error };
    throw error;
  }
}
