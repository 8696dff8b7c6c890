import type { PredictorData } from '../../../src/prediction/predictor-data.js';
import type { Executor, Run } from '../../../src/work/scheduler.js';
import { WorkerPool } from '../../../src/work/worker-pool.js';

/** The real pool behind a gate that can hold runs back; it records the runs that pass. */
export class GatedWorkers implements Executor {
  readonly maxRunRows: number;
  onFree: () => void = () => {};
  /** Rows of each run, in the order they came; 0 for a step. */
  readonly runs: number[] = [];
  /** Called before a run or step is ordered from a worker thread, in the same turn. */
  beforeStart: () => void = () => {};
  /** Called after it is ordered from a worker thread, in the same turn. */
  afterStart: () => void = () => {};
  #isOpen = true;

  private constructor(readonly pool: WorkerPool) {
    this.maxRunRows = pool.maxRunRows;
    pool.onFree = () => {
      if (this.#isOpen) this.onFree();
    };
  }

  /** Starts the real pool and waits until its models are open. */
  static async start(size: number, data: PredictorData): Promise<GatedWorkers> {
    const pool = new WorkerPool(size, data, 600_000, {
      onError: () => {}, // seen in the outcomes of the jobs
      onReadyChange: () => {},
    });
    await pool.warmUp();
    return new GatedWorkers(pool);
  }

  get free(): number {
    return this.#isOpen ? this.pool.free : 0;
  }

  wake(): void {
    if (this.#isOpen) this.pool.wake();
  }

  start(run: Run): void {
    this.runs.push(run.count);
    this.beforeStart();
    this.pool.start(run);
    this.afterStart();
  }

  /** From now on no run can start, as while all workers are busy. */
  hold(): void {
    this.#isOpen = false;
  }

  release(): void {
    this.#isOpen = true;
    this.wake();
  }

  /** Forgets the runs seen so far. */
  reset(): void {
    this.runs.length = 0;
    this.beforeStart = () => {};
    this.afterStart = () => {};
  }
}
