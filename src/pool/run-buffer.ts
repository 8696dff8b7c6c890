import { type RowAnswers, SiteRows, siteRowsBytes } from '../prediction/site-rows.js';

/**
 * Rows of one run at most: bounds the memory of a worker, whose arena never shrinks, and how long a small batch
 * waits behind a large one.
 */
export const MAX_RUN_ROWS = 500;

const ALIGNMENT_BYTES = 8;
const ROWS_BYTES = Math.ceil(siteRowsBytes(MAX_RUN_ROWS) / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
const ENDS_BYTES = 4 * MAX_RUN_ROWS;
const HEAD_BYTES = Math.ceil((ROWS_BYTES + ENDS_BYTES + MAX_RUN_ROWS) / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;

/**
 * Memory that a run's rows go to a worker in and its answers come back in, shared by both threads and used again: a
 * message between them says only which of these and how many rows. Fresh buffers of the size of a batch, a thousand
 * times a second, would keep the main thread's garbage collector busy a third of the time.
 */
export class RunBuffer {
  readonly #ends: Uint32Array;
  readonly #status: Uint8Array;
  readonly #json: Uint8Array;

  /** @param memory of `runBufferBytes` bytes */
  constructor(readonly memory: SharedArrayBuffer) {
    this.#ends = new Uint32Array(memory, ROWS_BYTES, MAX_RUN_ROWS);
    this.#status = new Uint8Array(memory, ROWS_BYTES + ENDS_BYTES, MAX_RUN_ROWS);
    this.#json = new Uint8Array(memory, HEAD_BYTES);
  }

  /** The first `count` rows. */
  rows(count: number): SiteRows {
    return new SiteRows(count, this.memory);
  }

  /** The answers to as many rows. */
  answers(count: number): RowAnswers {
    return { status: this.#status.subarray(0, count), ends: this.#ends.subarray(0, count), json: this.#json };
  }
}

/** Bytes of a RunBuffer for elements of a size. */
export function runBufferBytes(elementCapacity: number): number {
  return HEAD_BYTES + MAX_RUN_ROWS * elementCapacity;
}
