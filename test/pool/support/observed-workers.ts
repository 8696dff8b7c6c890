import { WorkerPool } from '../../../src/pool/worker-pool.js';
import type { PredictorData } from '../../../src/prediction/predictor.js';
import type { Workers } from '../../../src/scheduling/dispatcher.js';

/** The real pool, seen from the dispatcher's side: what it was given, and a gate that can hold runs back. */
export class ObservedWorkers implements Workers {
  /** Rows of each run, in the order they came. */
  readonly runs: number[] = [];
  /** Runs now with the pool or at the gate. */
  busy = 0;
  mostBusy = 0;
  /** Called when a run is just about to be handed to a worker thread, in the same turn. */
  beforeStart: () => void = () => {};
  #gate: Promise<void> = Promise.resolve();
  #openGate: () => void = () => {};

  private constructor(readonly pool: WorkerPool) {}

  /** Starts the real pool and waits until it is warm. */
  static async start(size: number, data: PredictorData): Promise<ObservedWorkers> {
    const pool = new WorkerPool(size, data, {
      onError: () => {}, // the outcomes of the jobs tell
      onReadyChange: () => {},
    });
    await pool.warmUp();
    return new ObservedWorkers(pool);
  }

  get size(): number {
    return this.pool.size;
  }

  /** From now on runs wait at the gate, as they do when workers take long. */
  hold(): void {
    this.#gate = new Promise((resolve) => {
      this.#openGate = resolve;
    });
  }

  release(): void {
    this.#openGate();
  }

  /** Forgets the runs seen so far. */
  reset(): void {
    this.runs.length = 0;
    this.mostBusy = 0;
    this.beforeStart = () => {};
  }

  readonly answer: Workers['answer'] = async (count, fill, use) => {
    this.runs.push(count);
    this.mostBusy = Math.max(this.mostBusy, ++this.busy);
    try {
      await this.#gate;
      this.beforeStart();
      await this.pool.answer(count, fill, use);
    } finally {
      this.busy--;
    }
  };
}
