import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.js';
import type { Artefacts } from '../prediction/artefacts/artefacts.js';
import type { PredictorData } from '../prediction/predictor-data.js';
import { LATER_STEP_TIMEOUTS } from './job.js';
import { MainThreadExecutor } from './main-thread-executor.js';
import { Scheduler } from './scheduler.js';
import { WorkerPool } from './worker-pool.js';
import type { WorkerWatcher } from './worker-slot.js';

/** How often a generation that closes looks whether its work has ended. */
const POLL_MS = 20;

/**
 * What predictions are served from: the grid and the models that were read together, the threads that have them open,
 * and their schedulers. A request uses one throughout, since rows hold indexes into its species.
 */
export class Generation {
  readonly data: PredictorData;
  readonly workers: WorkerPool;
  /** For batches, tables, plans and surfaces. */
  readonly batches: Scheduler;
  /** For single predictions, comparisons and rankings; the same one where workers answer these, too. */
  readonly singleSites: Scheduler;
  /** A function for each open table and surface, which cuts it off. */
  readonly streams = new Set<() => void>();
  readonly mainThread: MainThreadExecutor | undefined;
  /** Calls of `keepOpen` that are in progress. */
  #openWorks = 0;

  /** Starts the workers, which open the models; see `warmUp`. */
  constructor(
    artefacts: Artefacts,
    { workers, searchRadiusKm, cacheBytes, queueLimitSites, singleSites, requestTimeoutMs }: Config,
    watcher: WorkerWatcher,
  ) {
    const threads = workers + (singleSites === 'main' ? 1 : 0);
    this.data = { ...artefacts, searchRadiusKm, cacheBytes: cacheBytes / threads };
    this.workers = new WorkerPool(workers, this.data, LATER_STEP_TIMEOUTS * requestTimeoutMs, watcher);
    this.batches = new Scheduler(this.workers, queueLimitSites);
    this.mainThread = singleSites === 'main' ? new MainThreadExecutor(this.data) : undefined;
    this.singleSites = this.mainThread ? new Scheduler(this.mainThread, queueLimitSites) : this.batches;
  }

  /** Waits until it can serve. @throws ArtefactError where a model is not usable, ExplainedError where a worker does not start */
  async warmUp(): Promise<void> {
    await this.workers.warmUp(); // tries the models
    await this.mainThread?.encoder;
  }

  /** Does work that may still submit jobs: the generation is not closed before the work has ended. */
  async keepOpen<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#openWorks++;
    return work().finally(() => this.#openWorks--);
  }

  /** Cuts off all open tables and surfaces. @returns how many */
  cutStreams(): number {
    const cuts = [...this.streams];
    for (const cut of cuts) cut();
    return cuts.length;
  }

  /** Ends the threads once all that was submitted is answered or given up; nothing may be submitted meanwhile. */
  async close(): Promise<void> {
    // Ending a thread inside onnxruntime would abort the process.
    while (this.#openWorks > 0 || !this.batches.isIdle || !this.singleSites.isIdle) await delay(POLL_MS);
    await this.workers.close();
  }
}

export interface Serving {
  readonly current: Generation;
}
