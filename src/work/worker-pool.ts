import '../prediction/model/no-telemetry.js';
import { setTimeout as delay } from 'node:timers/promises';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { ExplainedError } from '../output/explained-error.js';
import { ArtefactError, errorOf } from '../prediction/artefacts/artefact-file.js';
import type { PredictorData } from '../prediction/predictor-data.js';
import { MAX_RUN_ROWS, RunBuffer, runMemory } from './memory/run-buffer.js';
import type { Executor, Run } from './scheduler.js';
import type { Task, WorkerNotice } from './worker.js';
import { WorkerSlot, type WorkerWatcher } from './worker-slot.js';

const WORKER_FILE = new URL('./worker.js', import.meta.url).href;

export const OPEN_TIMEOUT_MS = 30_000;
const POLL_MS = 20;

/**
 * The worker threads. Piscina starts them and replaces those that die. The task it gives to each never ends: runs are
 * ordered and answered in shared memory, where the main thread can look at any time. A message would have to wait for
 * its turn of the event loop, and under overload a turn is longer than a run.
 */
export class WorkerPool implements Executor {
  readonly maxRunRows = MAX_RUN_ROWS;
  onFree: () => void = () => {};
  readonly #piscina: Piscina;
  readonly #slots: readonly WorkerSlot[];
  /** The first failure of a worker, which `warmUp` throws. */
  #failure: Error | undefined;
  /** The model file that a worker checked last. */
  #checkedFile: string | undefined;
  #isClosed = false;

  /** Starts the threads. @param runTimeoutMs how long a worker may take for a run or step before it counts as lost */
  constructor(
    readonly size: number,
    predictor: PredictorData,
    runTimeoutMs: number,
    private readonly watcher: WorkerWatcher,
  ) {
    this.#slots = Array.from(
      { length: size },
      () => new WorkerSlot(new RunBuffer(runMemory(predictor)), runTimeoutMs, watcher),
    );
    this.#piscina = new Piscina({
      filename: WORKER_FILE,
      workerData: predictor,
      minThreads: size,
      maxThreads: size,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
      // Rows and answers are outside the heap: a worker needs little of it, and V8's default would take 20 MB more.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    // A worker that dies before it has its task, such as one that fails to load, would otherwise end the process.
    this.#piscina.on('error', (error: Error) => this.#reportDeath(error));
    // Piscina does not report one that exits without an error. Each of its events has a new object for the same worker.
    const opened = new Set<Worker | undefined>(); // undefined for one that Piscina has given up by then
    const threadOf = (id: number) => this.#piscina.threads.find((thread) => thread.threadId === id);
    this.#piscina.on('workerCreate', ({ id }) => opened.add(threadOf(id)));
    this.#piscina.on('workerDestroy', ({ id }) => {
      if (!opened.delete(threadOf(id)))
        this.#reportDeath(new Error('a worker ended while it opened the models'));
    });
    this.#piscina.on('message', (notice: WorkerNotice) => this.#receive(notice));
    this.#slots.forEach((slot, index) => void this.#keepServed(slot, index));
  }

  /** Worker threads whose models are open and that return from their runs. */
  get ready(): number {
    return this.#slots.filter(({ state }) => state === 'ready').length;
  }

  /** Worker threads that are opening their models. Piscina does not replace one that dies meanwhile. */
  get opening(): number {
    return this.#piscina.threads.length - this.#slots.filter(({ state }) => state !== 'opening').length;
  }

  /** Waits until all workers have their models open. @throws ArtefactError, ExplainedError where one has not, or too late */
  async warmUp(): Promise<void> {
    const deadlineMs = performance.now() + OPEN_TIMEOUT_MS;
    while (this.ready < this.size && this.#failure === undefined && performance.now() < deadlineMs)
      await delay(POLL_MS);
    if (this.#failure !== undefined) throw this.#failure;
    if (this.ready === this.size) return;
    const limit = `within ${OPEN_TIMEOUT_MS / 1000} s`;
    throw this.#checkedFile === undefined
      ? new ExplainedError(`the workers did not open the models ${limit}`)
      : new ArtefactError(this.#checkedFile, `did not answer for grid points ${limit}`);
  }

  get free(): number {
    return this.#isClosed ? 0 : this.#slots.filter(({ isFree }) => isFree).length;
  }

  wake(): void {
    for (const slot of this.#slots) slot.collect();
    if (this.free > 0) this.onFree();
  }

  start(run: Run): void {
    (this.#slots.find(({ isFree }) => isFree) as WorkerSlot).start(run);
  }

  /** Ends the threads, also those that open their models, once they are out of onnxruntime; no run may be under way. */
  async close(): Promise<void> {
    const deadlineMs = performance.now() + OPEN_TIMEOUT_MS;
    while (this.opening > 0 && performance.now() < deadlineMs) await delay(POLL_MS);
    this.#isClosed = true;
    await this.#piscina.destroy();
  }

  /** Gives a slot a worker, and another one whenever that dies. */
  async #keepServed(slot: WorkerSlot, index: number): Promise<void> {
    while (!this.#isClosed) {
      const { port1, port2: orders } = new MessageChannel();
      port1.unref();
      slot.orders = port1;
      try {
        const task: Task = { slot: index, memory: slot.buffer.memory, orders };
        await this.#piscina.run(task, { transferList: [orders] });
      } catch (error) {
        port1.close();
        slot.state = 'opening';
        slot.collect(); // it may have died after its work
        slot.fail(error as Error);
        this.#reportDeath(error as Error);
      }
    }
  }

  #reportDeath(error: Error): void {
    if (this.#isClosed) return;
    this.#failure ??= new ExplainedError(`a worker died while it opened the models: ${error.message}`);
    this.watcher.onError(error);
    this.watcher.onReadyChange();
  }

  #receive(notice: WorkerNotice): void {
    if (notice.kind === 'checking') {
      this.#checkedFile = notice.file;
      return;
    }
    const slot = this.#slots[notice.slot];
    switch (notice.kind) {
      case 'done':
        slot.take()?.deliverResult(notice.result);
        break;
      case 'failed':
        slot.fail(notice.error);
        this.watcher.onError(notice.error);
        break;
      case 'refused':
        slot.state = 'refused';
        this.#failure ??= errorOf(notice);
        break;
      case 'ready':
        slot.state = 'ready';
        this.watcher.onReadyChange();
    }
    this.wake(); // collects what was answered
  }
}
