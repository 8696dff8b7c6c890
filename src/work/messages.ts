import type { MessagePort } from 'node:worker_threads';
import type { ArtefactFailure } from '../prediction/artefacts/artefact-error.js';
import type { Predictor, PredictorData } from '../prediction/predictor.js';
import type { RecordColumns } from '../prediction/row-record.js';

/** What a worker is given when it starts; the grid and the run buffers in it are shared, not copied. */
export interface WorkerData {
  readonly predictor: PredictorData;
  readonly runBuffers: readonly SharedArrayBuffer[];
}

/** Predicts rows, whose memory is that of SiteRows: a step that every worker knows. The result is a RecordsResult. */
export interface RecordsOrder {
  readonly kind: 'records';
  readonly memory: ArrayBufferLike;
  readonly count: number;
  readonly width: number;
}

/** The records of all rows, and the time in the models. */
export interface RecordsResult {
  readonly records: RecordColumns;
  readonly inferenceMs: number;
}

/** Does another step of work. @returns its result, and the memory in it that is transferred to the main thread */
export type StepHandler = (
  order: object,
  predictor: Predictor,
  data: PredictorData,
) => Promise<{ readonly result: unknown; readonly transferred?: readonly ArrayBuffer[] }>;

/** The one task of a worker, which never ends: to answer what is ordered in a run buffer. */
export interface Task {
  /** Index of the run buffer. */
  readonly buffer: number;
  /** Where the orders of steps come from. */
  readonly steps: MessagePort;
}

/** What a worker reports, with the index of its run buffer. */
export type WorkerNotice = { readonly buffer: number } & (
  | { readonly kind: 'ready' }
  | ArtefactFailure
  /** The answers of the run are in the buffer. */
  | { readonly kind: 'answered' }
  /** The step is done. */
  | { readonly kind: 'done'; readonly result: unknown }
  /** The run or step threw; the worker is still ready. */
  | { readonly kind: 'failed'; readonly error: Error }
);
