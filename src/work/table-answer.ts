import type { CheckState, ChunkAnswer } from '../formats/table/open-table.js';
import type { TableChunk } from '../formats/table/table-request.js';
import type { ErrorCode } from '../prediction/errors/api-error.js';
import { LATER_STEP_TIMEOUTS } from './job.js';
import type { RequestSteps } from './request-steps.js';
import type { StepResults, TableOrder } from './steps.js';

/** How a table is answered. */
export interface TableOptions {
  readonly chunksUnderWay: number;
  /** How long the first chunk may wait for its answer. */
  readonly timeoutMs: number;
  /** Called with the rows of each chunk: how many have an answer, and how many an error, by its code. */
  readonly onRows: (answered: number, failures: readonly (readonly [ErrorCode, number])[]) => void;
}

type TableEnds = NonNullable<StepResults['check']['ends']>;

/** A table that is checked, whose rows the workers answer in chunks; the answers are sent in the order of the rows. */
export class TableAnswer {
  private constructor(
    private readonly table: TableOrder,
    private readonly steps: RequestSteps,
    private readonly options: TableOptions,
    /** The state of the check at its end, without the chunks. */
    private readonly state: CheckState,
    private readonly chunks: readonly TableChunk[],
    private readonly ends: TableEnds,
  ) {}

  /** Has workers check a table, however long that waits for others. @throws ApiError where it is no table, JobError */
  static async check(table: TableOrder, steps: RequestSteps, options: TableOptions): Promise<TableAnswer> {
    let before: CheckState | undefined;
    for (;;) {
      const order = { kind: 'check', table, state: before } as const;
      const { state, ends } = await steps.do(order, Number.POSITIVE_INFINITY);
      if (ends !== undefined)
        return new TableAnswer(table, steps, options, { ...state, chunks: [] }, state.chunks, ends);
      before = state;
    }
  }

  get rowCount(): number {
    return this.state.rowCount;
  }

  /** Waits for the answer to the first chunk, which decides whether there is one. @returns the bytes @throws JobError */
  async start(): Promise<AsyncGenerator<Uint8Array>> {
    const first = this.chunks.slice(0, 1).map((chunk) => this.#answer(chunk, this.options.timeoutMs));
    await first[0];
    return this.#bytes(first);
  }

  /** @throws JobError */
  async *#bytes(underWay: Promise<ChunkAnswer>[]): AsyncGenerator<Uint8Array> {
    const { chunksUnderWay, onRows } = this.options;
    const timeoutMs = LATER_STEP_TIMEOUTS * this.options.timeoutMs;
    const waiting = this.chunks.slice(underWay.length);
    yield this.ends.head;
    while (waiting.length + underWay.length > 0) {
      for (const chunk of waiting.splice(0, chunksUnderWay - underWay.length)) {
        const answer = this.#answer(chunk, timeoutMs);
        answer.catch(() => {}); // thrown where it is awaited
        underWay.push(answer);
      }
      let answer = await underWay.shift();
      while (answer !== undefined) {
        const { bytes, answered, failures, rest } = answer;
        onRows(answered, failures);
        yield bytes;
        answer = rest && (await this.#answer(rest, timeoutMs));
      }
    }
    yield this.ends.tail;
  }

  #answer(chunk: TableChunk, timeoutMs: number): Promise<ChunkAnswer> {
    const { table, state } = this;
    return this.steps.do({ kind: 'rows', table, state, chunk }, performance.now() + timeoutMs);
  }
}
