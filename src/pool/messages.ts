import type { ArtefactFailure } from '../prediction/artefacts/artefact-error.js';
import type { PredictorData } from '../prediction/predictor.js';

/** What a worker is given when it starts; the grid and the run buffers in it are shared, not copied. */
export interface WorkerData {
  readonly predictor: PredictorData;
  readonly runBuffers: readonly SharedArrayBuffer[];
}

/** The one task of a worker, which never ends: to answer what is ordered in a run buffer. */
export interface Task {
  /** Index of the run buffer. */
  readonly buffer: number;
}

/** What a worker reports, with the index of its run buffer. */
export type WorkerNotice = { readonly buffer: number } & (
  | { readonly kind: 'ready' }
  | ArtefactFailure
  /** The answers of the run are in the buffer. */
  | { readonly kind: 'answered' }
  /** The run threw; the worker is still ready. */
  | { readonly kind: 'failed'; readonly error: Error }
);
