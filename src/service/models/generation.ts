import type { Config } from '../../config.js';
import type { BufferPool } from '../../pool/buffer-pool.js';
import { WorkerPool, type WorkerWatcher } from '../../pool/worker-pool.js';
import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import { Dispatcher } from '../../scheduling/dispatcher.js';
import { SingleSites } from '../../scheduling/single-sites.js';

/**
 * What predictions are served from: the grid and the models of one reading, the workers that have them open, and the
 * way to these. All of it changes together, since rows hold indexes of its species. A request takes the current one
 * once and keeps to it.
 */
export interface Generation {
  readonly artefacts: Artefacts;
  readonly pool: WorkerPool;
  readonly dispatcher: Dispatcher;
  readonly singleSites: SingleSites;
  /** Waits until it can serve. @throws ArtefactError where a model is not usable, Error where a worker does not start */
  warmUp(): Promise<void>;
}

/** Starts workers on a grid and models, which they open meanwhile: see `warmUp`. */
export function startGeneration(
  artefacts: Artefacts,
  config: Config,
  buffers: BufferPool,
  watcher: WorkerWatcher,
): Generation {
  const { workers, searchRadiusKm } = config;
  // The workers, and this thread.
  const cacheBytes = config.cacheBytes / (workers + 1);
  const predictorData = { ...artefacts, searchRadiusKm, cacheBytes };
  const pool = new WorkerPool(workers, predictorData, watcher);
  const singleSites = new SingleSites(predictorData, config.queueLimitSites);
  return {
    artefacts,
    pool,
    dispatcher: new Dispatcher(pool, buffers, config),
    singleSites,
    warmUp: async () => {
      await pool.warmUp(); // tries the models
      await singleSites.warmUp();
    },
  };
}
