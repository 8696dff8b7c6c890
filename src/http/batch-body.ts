import type { AnsweredSlice } from '../pool/dispatcher.js';
import { ROW_STATUS } from '../prediction/site-rows.js';
import type { Batch, FailedEntry } from './batch.js';

const OPEN = Buffer.from('{"results":[');
const COMMA = ','.charCodeAt(0);

/** What became of entries: how many, by `answered` or the code of their error. */
export type Outcomes = ReadonlyMap<string, number>;

/**
 * Joins the body of a batch, in the order of its entries, from the bytes that workers wrote and from what failed.
 * @param slices the answers to the rows of the batch, in order
 * @param failureOf what is wrong with a row that no worker could answer, by its status
 */
export function joinBatchBody(
  { total, failed }: Batch,
  slices: readonly AnsweredSlice[],
  failureOf: (row: number, status: number) => FailedEntry,
): { readonly body: Buffer; readonly outcomes: Outcomes } {
  const elements = new Elements();
  let entry = 0;
  const failUntilRow = () => {
    for (let failure = failed.get(entry); failure !== undefined; failure = failed.get(++entry))
      elements.fail(failure);
  };
  for (const { firstRow, count, offset, answers } of slices) {
    for (let i = 0; i < count; i++) {
      failUntilRow();
      const row = offset + i;
      const status = answers.status[row]!;
      if (status === ROW_STATUS.answered) {
        elements.answer(answers.json, row === 0 ? 0 : answers.ends[row - 1]!, answers.ends[row]!);
      } else {
        elements.fail(failureOf(firstRow + i, status));
      }
      entry++;
    }
  }
  failUntilRow();
  return { body: elements.close(total), outcomes: elements.outcomes };
}

/** The elements of a batch's results, each followed by a comma; neighbours in the same bytes are copied as one range. */
class Elements {
  readonly outcomes = new Map<string, number>();
  readonly #chunks: Uint8Array[] = [OPEN];
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
    this.#chunks.push(Buffer.from(`${JSON.stringify({ error, latitude, longitude })},`));
    this.#count(error.code);
  }

  /** The whole body: the last comma is overwritten by what follows it. */
  close(total: number): Buffer {
    this.#closeRange();
    const successful = this.outcomes.get('answered') ?? 0;
    const summary = JSON.stringify({ total, successful, failed: total - successful });
    const end = Buffer.from(`],"summary":${summary}}`);
    const body = Buffer.concat([...this.#chunks, end]);
    const lastComma = body.length - end.length - 1;
    if (body[lastComma] !== COMMA) return body; // no elements
    body.copyWithin(lastComma, lastComma + 1);
    return body.subarray(0, -1);
  }

  #closeRange(): void {
    if (this.#to > this.#from) this.#chunks.push(this.#json.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }

  #count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}
