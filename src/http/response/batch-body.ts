import type { BufferPool } from '../../pool/buffer-pool.js';
import { ROW_STATUS } from '../../prediction/site-rows.js';
import type { AnsweredSlice } from '../../scheduling/dispatcher.js';
import type { Batch, FailedEntry } from '../request/batch.js';

const OPEN = Buffer.from('{"results":[');
const COMMA = ','.charCodeAt(0);

/** What became of entries: how many, by `answered` or the code of their error. */
export type Outcomes = ReadonlyMap<string, number>;

/**
 * Joins the body of a batch, in the order of its entries, from the bytes that workers wrote and from what failed.
 * @param slices the answers to the rows of the batch, in order
 * @param failureOf what is wrong with a row that no worker could answer, by its status
 * @param buffers gives the body's memory and takes the slices' back
 */
export function joinBatchBody(
  { total, failed }: Batch,
  slices: readonly AnsweredSlice[],
  failureOf: (row: number, status: number) => FailedEntry,
  buffers: BufferPool,
): { readonly body: Buffer; readonly outcomes: Outcomes } {
  const [first] = slices;
  if (slices.length === 1 && first!.status.length === total && first!.status.every(isAnswered)) {
    return { body: wrapInPlace(first!.json, total), outcomes: new Map([['answered', total]]) };
  }
  const elements = new Elements();
  let entry = 0;
  const failUntilRow = () => {
    for (let failure = failed.get(entry); failure !== undefined; failure = failed.get(++entry))
      elements.fail(failure);
  };
  for (const { firstRow, status, ends, json } of slices) {
    for (let row = 0; row < status.length; row++) {
      failUntilRow();
      if (isAnswered(status[row])) elements.answer(json, row === 0 ? 0 : ends[row - 1], ends[row]);
      else elements.fail(failureOf(firstRow + row, status[row]));
      entry++;
    }
  }
  failUntilRow();
  const body = elements.close(total, buffers);
  for (const { json } of slices) buffers.release(json);
  return { body, outcomes: elements.outcomes };
}

function isAnswered(status: number): boolean {
  return status === ROW_STATUS.answered;
}

/** The body around the elements of one slice that answers a whole batch, in the slice's own memory. */
function wrapInPlace({ buffer, byteOffset, length }: Buffer, total: number): Buffer {
  const end = closingOf(total, total);
  const body = Buffer.from(buffer, byteOffset - OPEN.length, OPEN.length + length - 1 + end.length);
  body.set(OPEN);
  body.set(end, body.length - end.length); // over the last comma
  return body;
}

function closingOf(total: number, successful: number): Buffer {
  return Buffer.from(`],"summary":${JSON.stringify({ total, successful, failed: total - successful })}}`);
}

/** The elements of a batch's results, each followed by a comma; neighbours in the same bytes are copied as one range. */
class Elements {
  readonly outcomes = new Map<string, number>();
  readonly #chunks: Uint8Array[] = [OPEN];
  #bytes = OPEN.length;
  #json: Uint8Array = OPEN;
  #from = 0;
  #to = 0;

  answer(json: Uint8Array, from: number, to: number): void {
    if (json !== this.#json || from !== this.#to) {
      this.#closeRange();
      this.#json = json;
      this.#from = from;
    }
    this.#to = to;
    this.#count('answered');
  }

  fail({ error, latitude, longitude }: FailedEntry): void {
    this.#closeRange();
    this.#push(Buffer.from(`${JSON.stringify({ error, latitude, longitude })},`));
    this.#count(error.code);
  }

  /** The whole body: the last comma is overwritten by what follows it. */
  close(total: number, buffers: BufferPool): Buffer {
    this.#closeRange();
    const end = closingOf(total, this.outcomes.get('answered') ?? 0);
    const body = buffers.acquire(this.#bytes + end.length);
    let at = 0;
    for (const chunk of this.#chunks) {
      body.set(chunk, at);
      at += chunk.length;
    }
    if (body[at - 1] === COMMA) at--;
    body.set(end, at);
    return body.subarray(0, at + end.length);
  }

  #closeRange(): void {
    if (this.#to > this.#from) this.#push(this.#json.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }

  #push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  #count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}
