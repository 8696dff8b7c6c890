import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../config.js';
import type { BufferPool } from '../../pool/buffer-pool.js';
import { WorkerStartError, type WorkerWatcher } from '../../pool/worker-pool.js';
import { ArtefactError } from '../../prediction/artefacts/artefact-error.js';
import { type Artefacts, readArtefacts } from '../../prediction/artefacts/artefacts.js';
import type { WorkerGuard } from '../worker-guard.js';
import { type Generation, startGeneration } from './generation.js';
import { rehearse } from './preflight.js';
import { ReloadError } from './reload-error.js';

/** Which generation serves, and the change to another while requests go on. */
export class Generations {
  /** Reloads by how they ended. */
  readonly reloads = { switched: 0, refused: 0 };
  readonly #watcher: WorkerWatcher;
  readonly #ending = new AbortController();
  /** The ends of generations that served before. */
  readonly #retiring = new Set<Promise<void>>();
  #current: Generation;
  #reloading: Promise<void> | undefined;
  #isReloadWanted = false;

  /** @param guard is told of the workers that serve */
  constructor(
    artefacts: Artefacts,
    readonly config: Config,
    readonly buffers: BufferPool,
    readonly guard: WorkerGuard,
    readonly log: FastifyBaseLogger,
  ) {
    this.#watcher = {
      onError: (err) => log.error({ err }, 'a worker failed'),
      onReadyChange: () => guard.check(this.current.workers),
    };
    this.#current = startGeneration(artefacts, config, buffers, this.#watcher);
  }

  /** What serves at the moment. */
  get current(): Generation {
    return this.#current;
  }

  /**
   * Reads the grid and the models anew and has them serve, if they are sound; else the current ones go on. However often
   * it is asked for during a reload, there is one more after it, which sees what the files were at the last time.
   */
  reload(): void {
    this.#isReloadWanted = true;
    this.#reloading ??= this.#reloadWhileWanted();
  }

  /** Ends a reload that is under way, and the workers when they have answered what was submitted. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#reloading;
    await Promise.all([...this.#retiring, this.current.close()]);
  }

  async #reloadWhileWanted(): Promise<void> {
    while (this.#isReloadWanted && !this.#ending.signal.aborted) {
      this.#isReloadWanted = false;
      await this.#replace();
    }
    this.#reloading = undefined;
  }

  async #replace(): Promise<void> {
    const former = this.current;
    try {
      this.#current = await this.#openNext();
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#logRejection(error as Error);
      return;
    }
    this.guard.check(this.current.workers);
    this.reloads.switched++;
    this.log.info({ model: versionOf(this.current), former: versionOf(former) }, 'models reloaded');
    const retiring = former.close().finally(() => this.#retiring.delete(retiring));
    this.#retiring.add(retiring);
  }

  /** @throws ArtefactError, ReloadError or Error where it cannot serve; nothing of it then keeps running. */
  async #openNext(): Promise<Generation> {
    const { dataDir, modelDir } = this.config;
    const triedDigest = await rehearse(this.config, this.#ending.signal);
    const artefacts = readArtefacts(dataDir, modelDir);
    if (artefacts.digest !== triedDigest) {
      throw new ReloadError(
        `files in ${dataDir} or ${modelDir} changed while they were tried: send SIGHUP again when they are complete`,
      );
    }
    const next = startGeneration(artefacts, this.config, this.buffers, this.#watcher);
    try {
      await next.warmUp();
    } catch (error) {
      await next.close();
      throw error;
    }
    return next;
  }

  #logRejection(error: Error): void {
    this.reloads.refused++;
    const serving = versionOf(this.current);
    this.log.error({ ...reasonOf(error), model: serving }, 'reload rejected; previous models remain active');
  }
}

/** What the log says of a rejection; only an unexpected error shows its stack. */
function reasonOf(error: Error): object {
  if (error instanceof ArtefactError) return { file: error.file, problem: error.problem };
  return error instanceof ReloadError || error instanceof WorkerStartError
    ? { problem: error.message }
    : { err: error };
}

function versionOf({ artefacts }: Generation): string {
  return artefacts.manifest.version;
}
