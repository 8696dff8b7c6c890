import type { Config } from './config.js';
import type { BufferPool } from './pool/buffer-pool.js';
import { Dispatcher } from './pool/dispatcher.js';
import { WorkerPool, type WorkerWatcher } from './pool/worker-pool.js';
import type { Artefacts } from './prediction/artefacts.js';

/**
 * What predictions are served from: the grid and the models of one reading, the workers that have them open, and the
 * way to these. All of it changes together, since rows hold indexes of its species. A request takes the current one
 * once and keeps to it.
 */
export interface Generation {
  readonly artefacts: Artefacts;
  readonly pool: WorkerPool;
  readonly dispatcher: Dispatcher;
}

/** Starts workers on a grid and models, which they open meanwhile: see `pool.warmUp`. */
export function startGeneration(
  artefacts: Artefacts,
  config: Config,
  buffers: BufferPool,
  watcher: WorkerWatcher,
): Generation {
  const { workers, searchRadiusKm } = config;
  const cacheBytes = config.cacheBytes / workers;
  const pool = new WorkerPool(workers, { ...artefacts, searchRadiusKm, cacheBytes }, watcher);
  return { artefacts, pool, dispatcher: new Dispatcher(pool, buffers, config) };
}
