import '../prediction/no-telemetry.js';
import { setTimeout as delay } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { elementCapacity } from '../prediction/answer-encoder.js';
import type { PredictorData } from '../prediction/predictor.js';
import type { RowAnswers, SiteRows } from '../prediction/site-rows.js';
import type { Task, TaskResult, WorkerData, WorkerNotice } from './messages.js';
import { errorOf } from './refusal.js';
import { RunBuffer, runBufferBytes } from './run-buffer.js';

/** The compiled worker: threads run JavaScript, also when this file itself runs from its source in a test. */
const WORKER_FILE = new URL('../../dist/pool/worker.js', import.meta.url).href;

const WARM_UP_TIMEOUT_MS = 30_000;
const POLL_MS = 20;

/** Who is told of worker threads. */
export interface WorkerWatcher {
  /** A thread failed, idle or at work. */
  onError(error: Error): void;
  /** `ready` may have changed. */
  onReadyChange(): void;
}

/** The worker threads. Scheduling is the dispatcher's: piscina's own queue stays empty. */
export class WorkerPool {
  readonly #piscina: Piscina;
  readonly #buffers: readonly RunBuffer[];
  /** Indexes of the run buffers that no run uses: as many runs are under way at once as there are workers. */
  readonly #freeBuffers: number[];
  /** Ids of threads that told they were ready; some of them may have died since. */
  readonly #readyThreads = new Set<number>();
  /** Ids of threads that told anything of themselves. */
  readonly #toldThreads = new Set<number>();
  readonly #warm: Promise<void>;
  #settleWarm!: { resolve: () => void; reject: (error: Error) => void };

  /** Starts the threads; one that dies is replaced. */
  constructor(
    readonly size: number,
    predictor: PredictorData,
    readonly watcher: WorkerWatcher,
  ) {
    this.#warm = new Promise((resolve, reject) => {
      this.#settleWarm = { resolve, reject };
    });
    this.#warm.catch(() => {}); // told by warmUp
    const bytes = runBufferBytes(elementCapacity(predictor));
    this.#buffers = Array.from({ length: size }, () => new RunBuffer(new SharedArrayBuffer(bytes)));
    this.#freeBuffers = [...this.#buffers.keys()];
    const runBuffers = this.#buffers.map(({ memory }) => memory);
    this.#piscina = new Piscina({
      filename: WORKER_FILE,
      workerData: { predictor, runBuffers } satisfies WorkerData,
      minThreads: size,
      maxThreads: size,
      // By default piscina ends workers that idle between bursts.
      idleTimeout: Number.POSITIVE_INFINITY,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
      // Rows and answers are outside the heap: a worker needs little of it, and V8's default would take 20 MB more.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    // A worker that dies while idle would otherwise be an uncaught exception.
    this.#piscina.on('error', (error: Error) => watcher.onError(error));
    // Told before the thread leaves the list.
    this.#piscina.on('workerDestroy', () => setImmediate(() => watcher.onReadyChange()));
    this.#piscina.on('message', (notice: WorkerNotice) => this.#take(notice));
  }

  /** Worker threads whose models are open. */
  get ready(): number {
    return this.#piscina.threads.filter(({ threadId }) => this.#readyThreads.has(threadId)).length;
  }

  /**
   * Waits until every worker has its models open.
   * @throws ArtefactError where a model is not usable, Error where a worker does not start in time.
   */
  async warmUp(): Promise<void> {
    const late = () =>
      this.#settleWarm.reject(new Error(`the workers were not ready within ${WARM_UP_TIMEOUT_MS / 1000} s`));
    const timer = setTimeout(late, WARM_UP_TIMEOUT_MS);
    await this.#warm.finally(() => clearTimeout(timer));
  }

  /**
   * Answers rows in a worker.
   * @param count rows, at most MAX_RUN_ROWS
   * @param fill writes the rows
   * @param use takes what it needs of the answers: they are gone when it returns
   * @throws Error where the worker fails
   */
  async answer(
    count: number,
    fill: (rows: SiteRows) => void,
    use: (answers: RowAnswers, inferenceMs: number) => void,
  ): Promise<void> {
    const buffer = this.#freeBuffers.pop()!;
    const run = this.#buffers[buffer]!;
    try {
      fill(run.rows(count));
      const { inferenceMs } = (await this.#piscina.run({ buffer, count } satisfies Task)) as TaskResult;
      use(run.answers(count), inferenceMs);
    } catch (error) {
      this.watcher.onError(error as Error);
      throw error;
    } finally {
      this.#freeBuffers.push(buffer);
    }
  }

  /**
   * Ends the threads. No task may be running: ending a thread inside onnxruntime aborts the process. So threads that
   * are still opening their models are waited for.
   */
  async close(): Promise<void> {
    const giveUpMs = performance.now() + WARM_UP_TIMEOUT_MS;
    const isOpening = () => this.#piscina.threads.some(({ threadId }) => !this.#toldThreads.has(threadId));
    while (isOpening() && performance.now() < giveUpMs) await delay(POLL_MS);
    await this.#piscina.destroy();
  }

  #take(notice: WorkerNotice): void {
    this.#toldThreads.add(notice.threadId);
    if (notice.kind === 'refused') {
      this.#settleWarm.reject(errorOf(notice));
    } else {
      this.#readyThreads.add(notice.threadId);
      if (this.ready === this.size) this.#settleWarm.resolve();
      this.watcher.onReadyChange();
    }
  }
}
