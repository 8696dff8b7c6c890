import type { FastifyBaseLogger } from 'fastify';
import pLimit from 'p-limit';
import type { Config } from '../../config.js';
import { ExplainedError } from '../../output/explained-error.js';
import { ArtefactError } from '../../prediction/artefacts/artefact-file.js';
import { type Artefacts, identityOf, readArtefacts } from '../../prediction/artefacts/artefacts.js';
import { Generation } from '../../work/generation.js';
import type { WorkerWatcher } from '../../work/worker-slot.js';
import type { ServicePhase } from '../service-phase.js';
import { preflight } from './preflight.js';

/** Former generations that are kept for tables and surfaces that callers are still reading. */
const MAX_FORMER = 2;

/** Holds the generation that serves, and replaces it by another while requests are answered. */
export class Generations {
  /** Reloads by how they ended. */
  readonly reloads = { switched: 0, refused: 0 };
  isLastReloadRefused = false;
  readonly #watcher: WorkerWatcher;
  readonly #ending = new AbortController();
  /** Former generations that are closing, with the promise of their end. */
  readonly #retiring = new Map<Generation, Promise<void>>();
  current: Generation;
  readonly #oneReload = pLimit(1);

  /** @param phase is notified of workers that die or become ready */
  constructor(
    artefacts: Artefacts,
    private readonly config: Config,
    private readonly phase: ServicePhase,
    private readonly log: FastifyBaseLogger,
  ) {
    this.#watcher = {
      onError: (err) => log.error({ err }, 'a worker failed'),
      onReadyChange: () => phase.checkWorkers(this.current.workers),
    };
    this.current = new Generation(artefacts, config, this.#watcher);
  }

  /** The current generation, and former ones that are closing. */
  get #all(): Generation[] {
    return [this.current, ...this.#retiring.keys()];
  }

  /** Sums a count over the current generation and those that are closing. */
  sum(count: (generation: Generation) => number): number {
    return this.#all.reduce((sum, each) => sum + count(each), 0);
  }

  /**
   * Reads the grid and the models again and serves them if they are valid; otherwise the current ones remain. Calls
   * during a reload, however many, cause one more reload after it.
   */
  reload(): void {
    if (this.#oneReload.pendingCount === 0) void this.#oneReload(() => this.#replace());
  }

  /** Ends a reload in progress: the current grid and models serve until `close`. */
  stopReloading(): void {
    this.#ending.abort();
  }

  /** Ends a reload in progress and surfaces that nobody waits for, then the workers once all requests are answered. */
  async close(): Promise<void> {
    this.stopReloading();
    await this.#oneReload(() => {});
    for (const generation of this.#all) generation.cutStreams();
    await Promise.all([...this.#retiring.values(), this.current.close()]);
  }

  async #replace(): Promise<void> {
    if (this.#ending.signal.aborted) return;
    const former = this.current;
    try {
      this.current = await this.#openNext();
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      this.reloads.refused++;
      this.isLastReloadRefused = true;
      const reason = { ...reasonOf(error), model: former.data.manifest.version };
      this.log.error(reason, 'reload rejected; previous models remain active');
      return;
    }
    this.phase.checkWorkers(this.current.workers);
    this.reloads.switched++;
    this.isLastReloadRefused = false;
    const switched = { ...logFieldsOf(this.current.data), former: former.data.manifest.version };
    this.log.info(switched, 'models reloaded');
    const end = former.close().finally(() => this.#retiring.delete(former));
    this.#retiring.set(former, end);
    // Each former generation takes as much memory as the one that serves.
    const superfluous = [...this.#retiring.keys()].slice(0, -MAX_FORMER);
    const tables = superfluous.reduce((sum, generation) => sum + generation.cutStreams(), 0);
    const message = `tables and surfaces that began more than ${MAX_FORMER} reloads ago were cut off`;
    if (tables > 0) this.log.warn({ tables }, message);
  }

  /** @throws ArtefactError, ExplainedError or Error if it cannot serve, after it was closed */
  async #openNext(): Promise<Generation> {
    const { dataDir, modelDir } = this.config;
    const tried = await preflight(this.config, this.#ending.signal);
    const artefacts = readArtefacts(dataDir, modelDir);
    if (identityOf(artefacts) !== tried) {
      throw new ExplainedError(
        `files in ${dataDir} or ${modelDir} changed during the preflight: send SIGHUP again when they are complete`,
      );
    }
    const next = new Generation(artefacts, this.config, this.#watcher);
    try {
      await next.warmUp();
      this.#ending.signal.throwIfAborted();
    } catch (error) {
      await next.close();
      throw error;
    }
    return next;
  }
}

/** Identifies the models and the grid in log lines. */
export function logFieldsOf({ manifest, modelDigest, gridDigest }: Artefacts) {
  return { model: manifest.version, model_digest: modelDigest, grid_digest: gridDigest };
}

/** The reason of a failure in its log line; only an unexpected error shows its stack. */
export function reasonOf(error: unknown): object {
  if (error instanceof ArtefactError) return { file: error.file, problem: error.problem };
  return error instanceof ExplainedError ? { problem: error.message } : { err: error };
}
