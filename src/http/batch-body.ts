import type { AnsweredSlice } from '../pool/dispatcher.js';
import { ROW_STATUS } from '../prediction/site-rows.js';

const OPEN = Buffer.from('{"results":[');
const COMMA = ','.charCodeAt(0);

/** A failed element of a batch, as JSON. */
export type FailedElement = string;

/**
 * Joins the body of a batch from byte ranges of the workers' answers and the elements that failed, in order.
 * @param total entries of the batch
 * @param failed by entry, the elements of those that did not become rows; the others are the rows in their order
 * @param elementOf the element of a row that a worker could not answer, by its status
 */
export function joinBatchBody(
  total: number,
  slices: readonly AnsweredSlice[],
  failed: ReadonlyMap<number, FailedElement>,
  elementOf: (row: number, status: number) => FailedElement,
): { readonly body: Buffer; readonly failedCount: number } {
  const chunks: Uint8Array[] = [OPEN];
  let failedCount = 0;
  let entry = 0;
  const fail = (element: FailedElement) => {
    chunks.push(Buffer.from(`${element},`));
    failedCount++;
    entry++;
  };
  const failUntilRow = () => {
    for (let element = failed.get(entry); element !== undefined; element = failed.get(entry)) fail(element);
  };

  for (const { firstRow, count, offset, answers } of slices) {
    const { status, ends, json } = answers;
    // Bytes of consecutive answers are joined as one range: `from` is where the open one starts.
    let from = offset === 0 ? 0 : ends[offset - 1]!;
    let to = from;
    const closeRange = () => {
      if (to > from) chunks.push(json.subarray(from, to));
      from = to;
    };
    for (let i = 0; i < count; i++) {
      if (failed.has(entry)) {
        closeRange();
        failUntilRow();
      }
      if (status[offset + i] === ROW_STATUS.answered) {
        to = ends[offset + i]!;
        entry++;
      } else {
        closeRange();
        fail(elementOf(firstRow + i, status[offset + i]!));
      }
    }
    closeRange();
  }
  failUntilRow();

  const summary = JSON.stringify({ total, successful: total - failedCount, failed: failedCount });
  chunks.push(Buffer.from(`],"summary":${summary}}`));
  return { body: withoutLastComma(chunks), failedCount };
}

/** Every element is followed by a comma: the last one is overwritten by what follows it. */
function withoutLastComma(chunks: Uint8Array[]): Buffer {
  const end = chunks.at(-1)!;
  const elements = Buffer.concat(chunks);
  const lastComma = elements.length - end.length - 1;
  if (elements[lastComma] !== COMMA) return elements; // no element
  elements.copyWithin(lastComma, lastComma + 1);
  return elements.subarray(0, -1);
}
