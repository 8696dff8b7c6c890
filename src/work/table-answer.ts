import type { CheckState, ChunkAnswer } from '../formats/table/open-table.js';
import type { TableChunk } from '../formats/table/table-request.js';
import type { ErrorCode } from '../prediction/errors/api-error.js';
import { LATER_STEP_TIMEOUTS } from './job.js';
import type { RequestSteps } from './request-steps.js';
import type { StepResults, TableBody } from './steps.js';

/** How a table is answered. */
export interface TableOptions {
  readonly chunksUnderWay: number;
  /** How long the first chunk may wait for its answer. */
  readonly timeoutMs: number;
  /** Called with the rows of each chunk: how many have an answer, and how many an error, by its code. */
  readonly onRows: (answered: number, failures: readonly (readonly [ErrorCode, number])[]) => void;
}

/** A table, whose body the workers check and whose rows they answer in chunks; the answers are sent in the order of the rows. */
export class TableAnswer {
  #state: CheckState | undefined;
  #chunks: readonly TableChunk[] = [];
  #ends: StepResults['check']['ends'];
  #first: Promise<ChunkAnswer> | undefined;

  constructor(
    private readonly body: TableBody,
    private readonly steps: RequestSteps,
    private readonly options: TableOptions,
  ) {}

  get rowCount(): number {
    return this.#state?.rowCount ?? 0;
  }

  /** Checks the body, however long that waits for others. @throws ApiError where it is no table, JobError */
  async check(): Promise<void> {
    for (;;) {
      const order = { kind: 'check', table: this.body, state: this.#state } as const;
      const { state, ends } = await this.steps.do(order, Number.POSITIVE_INFINITY);
      this.#state = state;
      this.#ends = ends;
      if (ends === undefined) continue;
      this.#chunks = state.chunks;
      this.#state = { ...state, chunks: [] };
      return;
    }
  }

  /** Waits for the answer to the first chunk, which decides whether there is one. @throws JobError */
  async start(): Promise<void> {
    if (this.#chunks.length === 0) return;
    this.#first = this.#answer(this.#chunks[0], this.options.timeoutMs);
    await this.#first;
  }

  /** The bytes of the answer. @throws JobError */
  async *bytes(): AsyncGenerator<Uint8Array> {
    const ends = this.#ends;
    if (ends === undefined) throw new Error('the body was not checked');
    const { chunksUnderWay, timeoutMs, onRows } = this.options;
    yield ends.head;
    const underWay = this.#first === undefined ? [] : [this.#first];
    let next = underWay.length;
    while (next < this.#chunks.length || underWay.length > 0) {
      for (; underWay.length < chunksUnderWay && next < this.#chunks.length; next++) {
        const answer = this.#answer(this.#chunks[next], LATER_STEP_TIMEOUTS * timeoutMs);
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
    yield ends.tail;
  }

  async #answer(chunk: TableChunk, timeoutMs: number): Promise<ChunkAnswer> {
    const state = this.#state;
    if (state === undefined) throw new Error('the body was not checked');
    return this.steps.do({ kind: 'rows', table: this.body, state, chunk }, performance.now() + timeoutMs);
  }
}
