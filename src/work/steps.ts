import { type PlanSlice, predictSlice, type SliceNumbers } from '../formats/geojson/plan-answer.js';
import type { UnitLimit } from '../formats/geojson/plan-reader.js';
import { type Plan, readPlan } from '../formats/geojson/planner.js';
import { encodeTile } from '../formats/geotiff/encode-tile.js';
import type { Raster, RasterTile } from '../formats/geotiff/raster.js';
import { predictSurface, type Surface } from '../formats/surface/surface.js';
import {
  type ChunkStart,
  type StreamedType,
  SURFACE_ENCODERS,
  type SurfaceChunk,
} from '../formats/surface/surface-output.js';
import { type CheckState, type ChunkAnswer, OpenTable } from '../formats/table/open-table.js';
import type { TableChunk, TableRequest } from '../formats/table/table-request.js';
import { ApiError, type ErrorObject } from '../prediction/errors/api-error.js';
import type { GenerationData } from '../prediction/per-generation.js';
import type { Predictor, PredictorData } from '../prediction/predictor.js';

/** The body of a table in memory that all threads share. */
export interface TableBody {
  /** Another one for each table. */
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  readonly at: number;
  readonly bytes: number;
  readonly request: TableRequest;
}

/** What the main thread asks of a worker. */
export type StepOrder =
  /** Checks some more of a table. @param state how far the check has come */
  | { readonly kind: 'check'; readonly table: TableBody; readonly state: CheckState | undefined }
  /** Answers rows of a table. @param state of the check at its end, without the chunks */
  | {
      readonly kind: 'rows';
      readonly table: TableBody;
      readonly state: CheckState;
      readonly chunk: TableChunk;
    }
  /** Predicts for some points of a surface, whose arrays lie in shared memory. */
  | { readonly kind: 'points'; readonly surface: Surface; readonly from: number; readonly count: number }
  /** Writes a chunk of a surface. */
  | {
      readonly kind: 'encode';
      readonly surface: Surface;
      readonly type: StreamedType;
      readonly start: ChunkStart;
    }
  /** Writes a tile of a surface as a raster. */
  | {
      readonly kind: 'tile';
      readonly surface: Surface;
      readonly raster: Raster;
      readonly tile: RasterTile;
    }
  /** Reads the next units of a plan. */
  | {
      readonly kind: 'plan';
      readonly body: Uint8Array;
      readonly limit: UnitLimit;
      readonly before: Plan | undefined;
    }
  /** Predicts for some rows of a plan. */
  | { readonly kind: 'plan-slice'; readonly slice: PlanSlice };

/** The results of orders by their kind. */
export interface StepResults {
  readonly check: {
    readonly state: CheckState;
    /** What the answer begins and ends with, when all is checked. */
    readonly ends: ReturnType<OpenTable['ends']> | undefined;
  };
  readonly rows: ChunkAnswer;
  readonly points: { readonly inferenceMs: number };
  readonly encode: SurfaceChunk;
  readonly tile: { readonly bytes: Uint8Array<ArrayBuffer> };
  readonly plan: Plan;
  readonly 'plan-slice': SliceNumbers;
}

/** A step ends with its result, or with what is wrong with the request. */
export type StepOutcome<Kind extends StepOrder['kind']> =
  | { readonly result: StepResults[Kind] }
  | { readonly refusal: ErrorObject };

/** How long a step takes, about: others wait for it. */
const STEP_MS = 15;

/** Open tables are kept between steps, the last ones. They are views of their bodies, and of little size. */
const KEPT_TABLES = 4;
const tables = new Map<number, OpenTable>();

/** The data that rows are checked against; what is made of it is kept with the object. */
let context: GenerationData | undefined;

function contextOf({ grid, manifest, species, regions, searchRadiusKm }: PredictorData): GenerationData {
  context ??= { artefacts: { grid, manifest, species, regions }, searchRadiusKm };
  return context;
}

function openTableOf({ id, memory, at, bytes, request }: TableBody, context: GenerationData): OpenTable {
  const table = tables.get(id) ?? new OpenTable(new Uint8Array(memory, at, bytes), request, context);
  tables.delete(id);
  tables.set(id, table);
  if (tables.size > KEPT_TABLES) tables.delete(tables.keys().next().value as number);
  return table;
}

/** Does a step of work. The `bytes` of a result are in memory of their own. */
export async function doStep(
  order: StepOrder,
  predictor: Predictor,
  data: PredictorData,
): Promise<StepOutcome<StepOrder['kind']>> {
  try {
    return { result: await resultOf(order, predictor, contextOf(data)) };
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error.error };
    throw error;
  }
}

async function resultOf(order: StepOrder, predictor: Predictor, context: GenerationData) {
  switch (order.kind) {
    case 'check': {
      const table = openTableOf(order.table, context);
      const endMs = performance.now() + STEP_MS;
      const state = table.check(order.state, () => performance.now() > endMs);
      return { state, ends: state.isChecked ? table.ends(state) : undefined };
    }
    case 'rows':
      return openTableOf(order.table, context).answer(order.state, order.chunk, predictor);
    case 'points': {
      const { surface, from, count } = order;
      return { inferenceMs: await predictSurface(surface, from, count, context.artefacts, predictor) };
    }
    case 'encode':
      return SURFACE_ENCODERS[order.type](order.surface, context.artefacts, order.start);
    case 'tile': {
      const { surface, raster, tile } = order;
      return { bytes: encodeTile(surface, raster, tile, context.artefacts.grid.index) };
    }
    case 'plan': {
      const { buffer, byteOffset, length } = order.body;
      const body = Buffer.from(buffer, byteOffset, length);
      return readPlan(body, order.limit, context, order.before, STEP_MS);
    }
    case 'plan-slice':
      return predictSlice(order.slice, predictor);
  }
}
