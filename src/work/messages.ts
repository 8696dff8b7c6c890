import type { MessagePort } from 'node:worker_threads';
import type { ArtefactFailure } from '../prediction/artefacts/artefact-error.js';
import type { Predictor, PredictorData } from '../prediction/predictor.js';

/** What a worker is given when it starts; the grid and the run buffers in it are shared, not copied. */
export interface WorkerData {
  readonly predictor: PredictorData;
  readonly runBuffers: readonly SharedArrayBuffer[];
}

/** Does a step of work. @returns its result, and the memory in it that is transferred to the main thread */
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
