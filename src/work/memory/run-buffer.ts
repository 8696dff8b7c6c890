import { elementCapacity } from '../../formats/json/answer-encoder.js';
import type { PredictorData } from '../../prediction/predictor-data.js';
import { adjustmentWidth, type RowAnswers, SiteRows, siteRowsBytes } from '../../prediction/site-rows.js';

/** The most rows of a run: bounds the memory of a worker, whose arena never shrinks, and the wait of other runs. */
export const MAX_RUN_ROWS = 500;

/** Indexes of the signals: state of the run, and number of its rows. */
const STATE = 0;
const COUNT = 1;
const RUN_STATE = { none: 0, ordered: 1, answered: 2 } as const;

/** New memory, which threads can share, for MAX_RUN_ROWS rows of a predictor and the answers to them. */
export function runMemory(predictor: PredictorData) {
  const rowWidth = adjustmentWidth(predictor.manifest);
  return {
    rowWidth,
    rows: new SharedArrayBuffer(siteRowsBytes(MAX_RUN_ROWS, rowWidth)),
    signals: new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)),
    inferenceMs: new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)),
    ends: new Uint32Array(new SharedArrayBuffer(MAX_RUN_ROWS * Uint32Array.BYTES_PER_ELEMENT)),
    status: new Uint8Array(new SharedArrayBuffer(MAX_RUN_ROWS)),
    json: new Uint8Array(new SharedArrayBuffer(MAX_RUN_ROWS * elementCapacity(predictor))),
  };
}

export type RunMemory = ReturnType<typeof runMemory>;

/**
 * Shared memory that carries the rows of a run to a worker and the answers back, and is reused. Fresh buffers of the
 * size of a batch, a thousand times a second, would keep the main thread's garbage collector busy a third of the time.
 * Its signals also order the run and report it as answered, so that neither thread has to wait for a message.
 */
export class RunBuffer {
  constructor(readonly memory: RunMemory) {}

  rows(count: number): SiteRows {
    return new SiteRows(count, this.memory.rowWidth, this.memory.rows);
  }

  answers(count: number): RowAnswers {
    const { status, ends, json } = this.memory;
    return { status: status.subarray(0, count), ends: ends.subarray(0, count), json };
  }

  /** Orders the worker to answer the first `count` rows or, with 0, to do the step that it was sent. */
  order(count: number): void {
    this.memory.signals[COUNT] = count;
    Atomics.store(this.memory.signals, STATE, RUN_STATE.ordered);
    Atomics.notify(this.memory.signals, STATE);
  }

  /** Blocks the worker's thread until a run or a step is ordered. @returns the rows of the run; 0 for a step */
  awaitOrder(): number {
    for (;;) {
      const state = Atomics.load(this.memory.signals, STATE);
      if (state === RUN_STATE.ordered) return this.memory.signals[COUNT];
      Atomics.wait(this.memory.signals, STATE, state);
    }
  }

  /** Called by the worker when the run is answered. @param inferenceMs time in the models */
  settle(inferenceMs: number): void {
    this.memory.inferenceMs[0] = inferenceMs;
    Atomics.store(this.memory.signals, STATE, RUN_STATE.answered);
  }

  /** Takes the order back: the run will not be answered, or the step has ended. */
  withdraw(): void {
    Atomics.store(this.memory.signals, STATE, RUN_STATE.none);
  }

  /** Time in the models of the run that was ordered last; undefined unless it is answered. */
  get inferenceMs(): number | undefined {
    const isAnswered = Atomics.load(this.memory.signals, STATE) === RUN_STATE.answered;
    return isAnswered ? this.memory.inferenceMs[0] : undefined;
  }
}
