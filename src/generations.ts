import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.js';
import { type Generation, startGeneration } from './generation.js';
import type { BufferPool } from './pool/buffer-pool.js';
import type { WorkerWatcher } from './pool/worker-pool.js';
import type { Artefacts } from './prediction/artefacts.js';
import type { WorkerGuard } from './worker-guard.js';

/** Which generation serves. */
export class Generations {
  readonly #watcher: WorkerWatcher;
  readonly #current: Generation;

  /** @param guard is told of the workers that serve */
  constructor(
    artefacts: Artefacts,
    config: Config,
    buffers: BufferPool,
    guard: WorkerGuard,
    log: FastifyBaseLogger,
  ) {
    this.#watcher = {
      onError: (err) => log.error({ err }, 'a worker failed'),
      onReadyChange: () => guard.check(this.current.pool),
    };
    this.#current = startGeneration(artefacts, config, buffers, this.#watcher);
  }

  /** What serves at the moment. */
  get current(): Generation {
    return this.#current;
  }

  /** Ends the workers when they have answered what was submitted. */
  async close(): Promise<void> {
    await this.current.dispatcher.idle();
    await this.current.pool.close();
  }
}
