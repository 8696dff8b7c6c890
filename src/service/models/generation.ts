import type { Config } from '../../config.js';
import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import type { BufferPool } from '../../work/buffer-pool.js';
import { MainThreadExecutor } from '../../work/main-thread-executor.js';
import { Scheduler } from '../../work/scheduler.js';
import { OpenTables } from '../../work/serving/open-tables.js';
import { WorkerPool, type WorkerWatcher } from '../../work/worker-pool.js';

/** What workers do for tables and plans. */
export const STEP_MODULE = new URL('../../work/steps.js', import.meta.url).href;

/** What predictions are served from, and how it starts and ends. */
export type Generation = ReturnType<typeof startGeneration>;

/** Starts workers on a grid and models, which they open meanwhile: see `warmUp`. */
export function startGeneration(
  artefacts: Artefacts,
  { workers: workerCount, searchRadiusKm, cacheBytes, queueLimitSites, singleSites: place }: Config,
  buffers: BufferPool,
  watcher: WorkerWatcher,
) {
  const answersOnMainThread = place === 'main';
  const threads = workerCount + (answersOnMainThread ? 1 : 0);
  const data = { ...artefacts, searchRadiusKm, cacheBytes: cacheBytes / threads };
  const workers = new WorkerPool(workerCount, data, watcher, STEP_MODULE);
  const batches = new Scheduler(workers, buffers, queueLimitSites);
  const mainThread = answersOnMainThread ? new MainThreadExecutor(data) : undefined;
  const singleSites =
    mainThread === undefined ? batches : new Scheduler(mainThread, buffers, queueLimitSites);
  const tables = new OpenTables();
  const keptOpenBy = new Set<Promise<unknown>>();
  return {
    artefacts,
    searchRadiusKm,
    workers,
    batches,
    singleSites,
    tables,
    /** Whether the main thread answers single predictions, comparisons and rankings. */
    answersOnMainThread,
    /** Waits until it can serve. @throws ArtefactError where a model is not usable, WorkerStartError where a worker does not start */
    warmUp: async () => {
      await workers.warmUp(); // tries the models
      await mainThread?.warmUp();
    },
    keepOpen: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      const ended = work();
      keptOpenBy.add(ended);
      try {
        return await ended;
      } finally {
        keptOpenBy.delete(ended);
      }
    },
    /** Ends the threads once all that was submitted is answered or given up; nothing may be submitted meanwhile. */
    close: async () => {
      // Ending a thread inside onnxruntime would abort the process.
      await Promise.all([tables.idle(), Promise.allSettled(keptOpenBy)]); // they submit rows until then
      await Promise.all([batches.idle(), singleSites.idle()]);
      await workers.close();
    },
  };
}
