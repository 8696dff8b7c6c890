import type { PredictorData } from '../prediction/predictor.js';
import type { Refusal } from './refusal.js';

/** What a worker is given when it starts; the grid and the run buffers in it are shared, not copied. */
export interface WorkerData {
  readonly predictor: PredictorData;
  readonly runBuffers: readonly SharedArrayBuffer[];
}

/** A task for a worker: to answer the first `count` rows of a run buffer. */
export interface Task {
  /** Index of the run buffer. */
  readonly buffer: number;
  readonly count: number;
}

export interface TaskResult {
  /** Time in the models. */
  readonly inferenceMs: number;
}

/** What a worker tells of itself when its thread has started. */
export type WorkerNotice =
  | { readonly kind: 'ready'; readonly threadId: number }
  | (Refusal & { readonly threadId: number });
