import type { PredictorData } from '../prediction/predictor.js';
import type { RowAnswers } from '../prediction/site-rows.js';

/** What a worker is given when it starts; the grid in it is shared, not copied. */
export type WorkerData = PredictorData;

/** A task for a worker: to be ready, or to answer rows packed as SiteRows. */
export type Task =
  | { readonly kind: 'warm-up' }
  | { readonly kind: 'answer'; readonly count: number; readonly rows: ArrayBuffer };

/** Errors lose their class between threads, so failures that are expected come back as values. */
export type WarmUpResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly file: string; readonly problem: string };

export type AnswerResult = RowAnswers & { readonly inferenceMs: number };
