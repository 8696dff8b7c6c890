import { type AnswerEncoder, answerEncoder } from '../formats/json/answer-encoder.js';
import { openUnchecked } from '../prediction/open-predictor.js';
import type { PredictorData } from '../prediction/predictor-data.js';
import { RunBuffer, runMemory } from './memory/run-buffer.js';
import type { Executor, Run } from './scheduler.js';

/** Bounds how long a run keeps the main thread from its other work. */
const MAX_ROWS = 64;

/**
 * Answers rows on the main thread: for a single site, waking a worker and being woken by it costs more than the work
 * itself. One run per turn of the event loop answers all rows that arrived in the turn. Their answers are also sent
 * together: sent one by one, each would wake its receiver.
 */
export class MainThreadExecutor implements Executor {
  readonly maxRunRows = MAX_ROWS;
  onFree: () => void = () => {};
  readonly #buffer: RunBuffer;
  /** Resolves when the models are open; the workers check them. Rejects with ArtefactError if one cannot be loaded. */
  readonly encoder: Promise<AnswerEncoder>;
  #isRequested = false;
  #isRunning = false;

  constructor(data: PredictorData) {
    this.#buffer = new RunBuffer(runMemory(data));
    this.encoder = openUnchecked(data).then((predictor) => answerEncoder(predictor));
    this.encoder.catch(() => {}); // reported to whoever waits for it
  }

  get free(): number {
    return this.#isRunning ? 0 : 1;
  }

  wake(): void {
    if (this.#isRequested || this.#isRunning) return;
    this.#isRequested = true;
    setImmediate(() => {
      this.#isRequested = false;
      this.onFree();
    });
  }

  async start(run: Run): Promise<void> {
    this.#isRunning = true;
    const rows = this.#buffer.rows(run.count);
    const answers = this.#buffer.answers(run.count);
    run.fill(rows);
    const outcome = await this.encoder
      .then((encoder) => encoder.answer(rows, answers))
      .catch((error: Error) => error);
    this.#isRunning = false;
    if (outcome instanceof Error) run.end(outcome);
    else run.deliver(answers, outcome.inferenceMs);
  }
}
