import { ROW_STATUS, type RowAnswers } from '../prediction/site-rows.js';
import { buffers } from './memory/buffer-pool.js';

/** Free bytes before and after the elements of a slice, so that a body can be put around them without copying. */
const MARGIN_BYTES = 256;

/** The answers to consecutive rows of a job; `json` has MARGIN_BYTES free on either side in memory. */
interface Slice extends RowAnswers {
  readonly firstRow: number;
  readonly json: Buffer;
}

/** The answers to the rows of one job: their status, and their JSON in memory of the pool. */
export class JobAnswers {
  /** Ordered by their first row once the job is answered. */
  readonly #slices: Slice[] = [];

  /** Copies the answers to rows [at, at + count) of a run, which are the job's rows from `firstRow` on. */
  add({ status, ends, json }: RowAnswers, at: number, count: number, firstRow: number): void {
    const start = at === 0 ? 0 : ends[at - 1];
    const length = ends[at + count - 1] - start;
    const memory = buffers.acquire(length + 2 * MARGIN_BYTES);
    memory.set(json.subarray(start, start + length), MARGIN_BYTES);
    const slice = {
      firstRow,
      status: status.slice(at, at + count),
      ends: ends.slice(at, at + count).map((end) => end - start),
      json: memory.subarray(MARGIN_BYTES, MARGIN_BYTES + length),
    };
    const index = this.#slices.findLastIndex((other) => other.firstRow < firstRow) + 1;
    this.#slices.splice(index, 0, slice);
  }

  /** The rows that have no element, with the ROW_STATUS that says why. */
  *unanswered(): Generator<readonly [row: number, status: number]> {
    for (const { firstRow, status } of this.#slices) {
      for (let row = 0; row < status.length; row++)
        if (status[row] !== ROW_STATUS.answered) yield [firstRow + row, status[row]];
    }
  }

  /** The JSON of each answered row, in order. The buffers are valid until `release`. */
  *elements(): Generator<Buffer> {
    for (const { status, ends, json } of this.#slices) {
      for (let row = 0; row < status.length; row++) {
        if (status[row] !== ROW_STATUS.answered) continue;
        yield json.subarray(row === 0 ? 0 : ends[row - 1], ends[row] - 1);
      }
    }
  }

  /**
   * Writes a body with the elements of all rows, in order. Replaces `release`: the `onSend` hook of
   * `http/response/compression` gives the body back to the pool.
   * @param open what the body begins with, at most 256 bytes
   * @param inserted JSON elements to insert, by their index among all elements
   * @param close what it ends with, at most 256 bytes
   */
  join(open: string, inserted: ReadonlyMap<number, string>, close: string): Buffer {
    if (inserted.size === 0 && this.#slices.length === 1)
      return wrapInPlace(this.#slices[0].json, open, close);
    const parts: (Buffer | string)[] = [];
    let index = 0;
    const insert = () => {
      for (let text = inserted.get(index); text !== undefined; text = inserted.get(++index))
        parts.push(`${text},`);
    };
    for (const { status, ends, json } of this.#slices) {
      let from = 0;
      for (let row = 0; row < status.length; row++) {
        if (status[row] !== ROW_STATUS.answered) continue; // has no bytes
        if (inserted.has(index)) {
          const start = row === 0 ? 0 : ends[row - 1];
          parts.push(json.subarray(from, start));
          from = start;
          insert();
        }
        index++;
      }
      parts.push(json.subarray(from));
    }
    insert();
    const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    const body = buffers.acquire(Buffer.byteLength(open) + length + Buffer.byteLength(close));
    let at = body.write(open);
    for (const part of parts) at += typeof part === 'string' ? body.write(part, at) : part.copy(body, at);
    if (length > 0) at--; // over the last comma
    at += body.write(close, at);
    this.release();
    return body.subarray(0, at);
  }

  /** Gives the memory of all answers back. */
  release(): void {
    for (const { json } of this.#slices) buffers.release(json);
    this.#slices.length = 0;
  }
}

/** The body around the elements of one slice, over its margins and its last comma. */
function wrapInPlace({ buffer, byteOffset, length }: Buffer, open: string, close: string): Buffer {
  const openLength = Buffer.byteLength(open);
  const bytes = Buffer.from(
    buffer,
    byteOffset - openLength,
    openLength + length - 1 + Buffer.byteLength(close),
  );
  bytes.write(open);
  bytes.write(close, openLength + length - 1);
  return bytes;
}
