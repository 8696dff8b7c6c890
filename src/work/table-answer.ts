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
  #first: Promise<ChunkAnswer> | undefined;

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

  /** Waits for the answer to the first chunk, which decides whether there is one. @throws JobError */
  async start(): Promise<void> {
    if (this.chunks.length === 0) return;
    this.#first = this.#answer(this.chunks[0], this.options.timeoutMs);
    await this.#first;
  }

  /** The bytes of the answer. @throws JobError */
  async *bytes(): AsyncGenerator<Uint8Array> {
    const { chunksUnderWay, timeoutMs, onRows } = this.options;
    yield this.ends.head;
    const underWay = this.#first === undefined ? [] : [this.#first];
    let next = underWay.length;
    while (next < this.chunks.length || underWay.length > 0) {
      for (; underWay.length < chunksUnderWay && next < this.chunks.length; next++) {
        const answer = this.#answer(this.chunks[next], LATER_STEP_TIMEOUTS * timeoutMs);
        answer.catch(() => {}); // thrown where it is awaited
        underWay.push(answer);
      }
      let answer = await underWay.shift();
      while (answer !== undefined) {
        const { bytes, answered, failures, rest } = answer;
        onRows(answered, failures);
        yield bytes;
        answer = rest && (await this.#answer(rest, LATER_STEP_TIMEOUTS * timeoutMs));
      }
    }
    yield this.ends.tail;
  }

  #answer(chunk: TableChunk, timeoutMs: number): Promise<ChunkAnswer> {
    const { table, state } = this;
    return this.steps.do({ kind: 'rows', table, state, chunk }, performance.now() + timeoutMs);
  }
}
