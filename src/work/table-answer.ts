import type { ChunkAnswer } from '../formats/table/open-table.js';
import type { TableChunk, TableState } from '../formats/table/table-request.js';
import { LATER_STEP_TIMEOUTS } from './job.js';
import type { RequestSteps } from './request-steps.js';
import type { TableOrder } from './steps.js';

export interface TableOptions {
  readonly chunksUnderWay: number;
  /** How long the first chunk may wait for its answer. */
  readonly timeoutMs: number;
  readonly onRows: (outcomes: ChunkAnswer['outcomes']) => void;
}

/**
 * Checks a table in workers. The check has no time limit, since it may wait long for other requests.
 * @returns the number of its rows, and `start`, which waits until the first chunk is answered and then returns the
 *   bytes of the answer in the order of the rows: an error before the first byte can still be reported
 * @throws ApiError where it is no table, JobError; `start` throws JobError
 */
export async function checkTable(
  table: TableOrder,
  steps: RequestSteps,
  { chunksUnderWay, timeoutMs, onRows }: TableOptions,
) {
  const check = (state: TableState | undefined) =>
    steps.do({ kind: 'check-table', table, state }, Number.POSITIVE_INFINITY);
  let checked = await check(undefined);
  while (checked.ends === undefined) checked = await check(checked.state);
  const { head, tail } = checked.ends;
  const { rowCount, chunks } = checked.state;
  const state = { ...checked.state, chunks: [] };
  const answerTo = (chunk: TableChunk, waitMs: number) =>
    steps.do({ kind: 'answer-rows', table, state, chunk }, performance.now() + waitMs);
  const laterMs = LATER_STEP_TIMEOUTS * timeoutMs;

  /** @param underWay the answers to the first chunks */
  async function* bytesOf(underWay: Promise<ChunkAnswer>[]): AsyncGenerator<Uint8Array> {
    const waiting = chunks.slice(underWay.length);
    yield head;
    while (waiting.length + underWay.length > 0) {
      for (const chunk of waiting.splice(0, chunksUnderWay - underWay.length)) {
        const answer = answerTo(chunk, laterMs);
        answer.catch(() => {}); // thrown where it is awaited
        underWay.push(answer);
      }
      let answer = await underWay.shift();
      while (answer !== undefined) {
        onRows(answer.outcomes);
        yield answer.bytes;
        answer = answer.rest && (await answerTo(answer.rest, laterMs));
      }
    }
    yield tail;
  }

  const start = async () => {
    const first = chunks.slice(0, 1).map((chunk) => answerTo(chunk, timeoutMs));
    await first[0];
    return bytesOf(first);
  };
  return { rowCount, start };
}
