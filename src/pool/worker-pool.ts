import '../prediction/model/no-telemetry.js';
import { setTimeout as delay } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { elementCapacity } from '../prediction/encoding/answer-encoder.js';
import type { PredictorData } from '../prediction/predictor.js';
import type { RowAnswers, SiteRows } from '../prediction/site-rows.js';
import type { Task, WorkerData, WorkerNotice } from './messages.js';
import { errorOf } from './refusal.js';
import { RunBuffer, runBufferBytes } from './run-buffer.js';

const WORKER_FILE = new URL('./worker.js', import.meta.url).href;

const WARM_UP_TIMEOUT_MS = 30_000;
const POLL_MS = 20;

/** Who is told of worker threads. */
export interface WorkerWatcher {
  /** A thread failed, idle or at work. */
  onError(error: Error): void;
  /** `ready` may have changed. */
  onReadyChange(): void;
}

/** Rows to be answered. */
interface Run {
  readonly count: number;
  fill(rows: SiteRows): void;
  use(answers: RowAnswers, inferenceMs: number): void;
  resolve(): void;
  reject(error: Error): void;
}

/** A worker's place: the memory of its runs, and the run under way there. */
class Desk {
  /** Of the worker there; `vacant` until it has opened its models. */
  state: 'vacant' | 'ready' | 'refused' = 'vacant';
  run: Run | undefined;

  constructor(readonly buffer: RunBuffer) {}

  get isFree(): boolean {
    return this.state === 'ready' && this.run === undefined;
  }

  start(run: Run): void {
    try {
      run.fill(this.buffer.rows(run.count));
      this.run = run;
      this.buffer.order(run.count);
    } catch (error) {
      run.reject(error as Error);
    }
  }

  /** Hands on the answers, if they are there. */
  collect(): void {
    const { run, buffer } = this;
    if (run === undefined || !buffer.isAnswered) return;
    this.run = undefined;
    try {
      run.use(buffer.answers(run.count), buffer.inferenceMs);
      run.resolve();
    } catch (error) {
      run.reject(error as Error);
    }
  }

  /** There will be no answers. */
  fail(error: Error): void {
    this.buffer.withdraw();
    this.run?.reject(error);
    this.run = undefined;
  }
}

/**
 * The worker threads. Piscina starts them and replaces those that die. The task it gives to each never ends: runs are
 * ordered and answered in shared memory, where the main thread can see to them at any time. A message has to wait for
 * its turn of the event loop, and in an overload a turn is longer than a run.
 */
export class WorkerPool {
  readonly #piscina: Piscina;
  readonly #desks: readonly Desk[];
  /** Runs that no desk was free for. */
  readonly #waiting: Run[] = [];
  readonly #warm: Promise<void>;
  #settleWarm!: { resolve: () => void; reject: (error: Error) => void };
  #isClosed = false;

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
    this.#desks = Array.from({ length: size }, () => new Desk(new RunBuffer(new SharedArrayBuffer(bytes))));
    const runBuffers = this.#desks.map(({ buffer }) => buffer.memory);
    this.#piscina = new Piscina({
      filename: WORKER_FILE,
      workerData: { predictor, runBuffers } satisfies WorkerData,
      minThreads: size,
      maxThreads: size,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
      // Rows and answers are outside the heap: a worker needs little of it, and V8's default would take 20 MB more.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    // A worker that dies before it has its task would otherwise be an uncaught exception.
    this.#piscina.on('error', (error: Error) => watcher.onError(error));
    this.#piscina.on('message', (notice: WorkerNotice) => this.#take(notice));
    this.#desks.forEach((desk, buffer) => void this.#keepServed(desk, { buffer }));
  }

  /** Worker threads whose models are open. */
  get ready(): number {
    return this.#desks.filter(({ state }) => state === 'ready').length;
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
  answer(
    count: number,
    fill: (rows: SiteRows) => void,
    use: (answers: RowAnswers, inferenceMs: number) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ count, fill, use, resolve, reject });
      this.#startRuns();
    });
  }

  /** Hands on the answers that are there, which happens anyway when the event loop comes to it. */
  collect(): void {
    for (const desk of this.#desks) desk.collect();
    this.#startRuns();
  }

  /**
   * Ends the threads. No run may be under way: ending a thread inside onnxruntime aborts the process. So threads that
   * are still opening their models are waited for.
   */
  async close(): Promise<void> {
    const giveUpMs = performance.now() + WARM_UP_TIMEOUT_MS;
    const opened = () => this.#desks.filter(({ state }) => state !== 'vacant').length;
    while (opened() < this.#piscina.threads.length && performance.now() < giveUpMs) await delay(POLL_MS);
    this.#isClosed = true;
    await this.#piscina.destroy();
    this.#startRuns();
  }

  #startRuns(): void {
    if (this.#isClosed)
      for (const { reject } of this.#waiting.splice(0)) reject(new Error('the workers have ended'));
    while (this.#waiting.length > 0) {
      const desk = this.#desks.find(({ isFree }) => isFree);
      if (desk === undefined) return;
      desk.start(this.#waiting.shift()!);
    }
  }

  /** Has a worker at a desk, and another when it dies. */
  async #keepServed(desk: Desk, task: Task): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#piscina.run(task);
      } catch (error) {
        this.#vacate(desk, error as Error);
      }
    }
  }

  #vacate(desk: Desk, error: Error): void {
    desk.state = 'vacant';
    desk.collect(); // it may have died after its work
    desk.fail(error);
    if (this.#isClosed) return;
    this.watcher.onError(error);
    this.watcher.onReadyChange();
  }

  #take(notice: WorkerNotice): void {
    const desk = this.#desks[notice.buffer];
    switch (notice.kind) {
      case 'answered':
        desk.collect();
        break;
      case 'failed':
        desk.fail(notice.error);
        this.watcher.onError(notice.error);
        break;
      case 'refused':
        desk.state = notice.kind;
        this.#settleWarm.reject(errorOf(notice));
        break;
      case 'ready':
        desk.state = notice.kind;
        if (this.ready === this.size) this.#settleWarm.resolve();
        this.watcher.onReadyChange();
    }
    this.#startRuns();
  }
}
