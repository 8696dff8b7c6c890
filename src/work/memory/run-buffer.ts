import { elementCapacity } from '../../formats/json/answer-encoder.js';
import type { PredictorData } from '../../prediction/predictor.js';
import { adjustmentWidth, type RowAnswers, SiteRows, siteRowsBytes } from '../../prediction/site-rows.js';

/** Rows of a run at most: bounds the memory of a worker, whose arena never shrinks, and how long others wait behind it. */
export const MAX_RUN_ROWS = 500;

const WORD_BYTES = 8;
const wholeWords = (bytes: number) => Math.ceil(bytes / WORD_BYTES) * WORD_BYTES;
/** Layout: the rows, whose size depends on the models; at these offsets after them the outcome of each; then JSON. */
const STATUS_AT = 4 * MAX_RUN_ROWS;
const SIGNALS_AT = wholeWords(STATUS_AT + MAX_RUN_ROWS);
const INFERENCE_AT = SIGNALS_AT + WORD_BYTES;
const JSON_AT = INFERENCE_AT + WORD_BYTES;

/** Indexes of the signals: state of the run, and number of its rows. */
const STATE = 0;
const COUNT = 1;
const RUN_STATE = { none: 0, ordered: 1, answered: 2 } as const;

/**
 * Memory that a run's rows go to a worker in and its answers come back in, shared by both threads and used again. Fresh
 * buffers of the size of a batch, a thousand times a second, would keep the main thread's garbage collector busy a third
 * of the time. The run is ordered and reported as answered in it, too, so that neither thread has to wait for the turn of
 * a message.
 */
export class RunBuffer {
  readonly #rowWidth: number;
  readonly #signals: Int32Array;
  readonly #inferenceMs: Float64Array;
  readonly #ends: Uint32Array;
  readonly #status: Uint8Array;
  readonly #json: Uint8Array;

  /** For the rows and elements of a predictor. @param memory of the other thread's buffer; by default new */
  constructor(
    predictor: PredictorData,
    readonly memory = new SharedArrayBuffer(bytesFor(predictor)),
  ) {
    this.#rowWidth = adjustmentWidth(predictor.manifest);
    const after = siteRowsBytes(MAX_RUN_ROWS, this.#rowWidth);
    this.#signals = new Int32Array(memory, after + SIGNALS_AT, 2);
    this.#inferenceMs = new Float64Array(memory, after + INFERENCE_AT, 1);
    this.#ends = new Uint32Array(memory, after, MAX_RUN_ROWS);
    this.#status = new Uint8Array(memory, after + STATUS_AT, MAX_RUN_ROWS);
    this.#json = new Uint8Array(memory, after + JSON_AT);
  }

  rows(count: number): SiteRows {
    return new SiteRows(count, this.#rowWidth, this.memory);
  }

  answers(count: number): RowAnswers {
    return { status: this.#status.subarray(0, count), ends: this.#ends.subarray(0, count), json: this.#json };
  }

  /** Orders the worker to answer the first `count` rows or, with 0, to do the step that it was sent. */
  order(count: number): void {
    this.#signals[COUNT] = count;
    Atomics.store(this.#signals, STATE, RUN_STATE.ordered);
    Atomics.notify(this.#signals, STATE);
  }

  /** Blocks the worker's thread until a run or a step is ordered. @returns the rows of the run; 0 for a step */
  awaitOrder(): number {
    for (;;) {
      const state = Atomics.load(this.#signals, STATE);
      if (state === RUN_STATE.ordered) return this.#signals[COUNT];
      Atomics.wait(this.#signals, STATE, state);
    }
  }

  /** The run is answered. */
  settle(inferenceMs: number): void {
    this.#inferenceMs[0] = inferenceMs;
    Atomics.store(this.#signals, STATE, RUN_STATE.answered);
  }

  /** The run will not be answered. */
  withdraw(): void {
    Atomics.store(this.#signals, STATE, RUN_STATE.none);
  }

  /** Whether the run that was ordered last is answered. */
  get isAnswered(): boolean {
    return Atomics.load(this.#signals, STATE) === RUN_STATE.answered;
  }

  /** Time of the answered run in the models. */
  get inferenceMs(): number {
    return this.#inferenceMs[0];
  }
}

function bytesFor(predictor: PredictorData): number {
  const rowBytes = siteRowsBytes(MAX_RUN_ROWS, adjustmentWidth(predictor.manifest));
  return rowBytes + JSON_AT + MAX_RUN_ROWS * elementCapacity(predictor);
}
