import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RunBuffer, runBufferBytes } from '../pool/run-buffer.js';
import { elementCapacity } from '../prediction/encoding/answer-encoder.js';
import { openUntried } from '../prediction/open-predictor.js';
import type { Predictor, PredictorData } from '../prediction/predictor.js';
import type { SiteRows } from '../prediction/site-rows.js';
import { FairQueue } from './fair-queue.js';

/** Sites of one run at most: bounds how long a run keeps the main thread. */
const MAX_RUN_SITES = 64;

/** The most that the models may take for one row. */
const QUICK_MS = 1;
const TRIES = 5;

/** The answer to one site. */
export interface SiteAnswer {
  /** ROW_STATUS of the site. */
  readonly status: number;
  /** Its JSON; empty where it could not be answered. */
  readonly json: Buffer;
  /** Until its run began. */
  readonly queueMs: number;
  /** Its part of the time in the models. */
  readonly inferenceMs: number;
}

interface Waiting {
  readonly keyId: string;
  readonly rowCount: 1;
  readonly rows: SiteRows;
  readonly sinceMs: number;
  settle(answer: SiteAnswer | 'turned-away'): void;
  fail(error: Error): void;
}

/**
 * Answers single sites on the main thread: to wake a worker and be woken by it costs more than the work itself, and
 * would put one site behind a batch. A run is made for all that came in a turn of the event loop. Their answers are sent
 * together, too: each by itself would wake its receiver for every one. Keys take turns, so that one which sends thousands
 * on a connection does not keep another waiting.
 * Models that are not quick would keep this thread from all its other work: then single sites are the workers', too.
 */
export class SingleSites {
  readonly #waiting = new FairQueue<Waiting>();
  readonly #buffer: RunBuffer;
  readonly #predictor: Promise<Predictor>;
  #isRunning = false;
  /** Whether the models are quick enough not to keep this thread from its other work; known after `warmUp`. */
  isQuick = false;

  /**
   * Opens the models meanwhile: see `warmUp`. The workers try them.
   * @param waitingLimit sites that may wait
   */
  constructor(
    readonly data: PredictorData,
    readonly waitingLimit: number,
  ) {
    this.#buffer = new RunBuffer(new SharedArrayBuffer(runBufferBytes(elementCapacity(data))));
    this.#predictor = openUntried(data);
    this.#predictor.catch(() => {}); // told by warmUp
  }

  /** Waits until the models are open, which must have been tried by then. @throws ArtefactError where one cannot be loaded */
  async warmUp(): Promise<void> {
    this.isQuick = (await this.#millisecondsOfOneRow()) <= QUICK_MS;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.rowCount;
  }

  /**
   * Answers a site when it is its key's turn. Where too many wait, one of the key that has most waiting is turned away:
   * the newest, which may be this one.
   * @param rows a single row
   */
  answer(keyId: string, rows: SiteRows): Promise<SiteAnswer | 'turned-away'> {
    return new Promise((settle, fail) => {
      this.#waiting.add({ keyId, rowCount: 1, rows, sinceMs: performance.now(), settle, fail });
      this.#waiting.shed(this.waitingLimit)?.settle('turned-away');
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    while (this.waiting > 0) {
      await nextTurn();
      await this.#run(this.#waiting.take(MAX_RUN_SITES).map(({ job }) => job));
    }
    this.#isRunning = false;
  }

  async #run(sites: readonly Waiting[]): Promise<void> {
    const count = sites.length;
    const startedMs = performance.now();
    const rows = this.#buffer.rows(count);
    const { status, ends, json } = this.#buffer.answers(count);
    for (const [at, site] of sites.entries()) rows.copyRows(at, site.rows, 0, 1);
    try {
      const predictor = await this.#predictor;
      const { inferenceMs } = await predictor.answer(rows, { status, ends, json });
      let start = 0;
      sites.forEach(({ sinceMs, settle }, at) => {
        const end = ends[at];
        settle({
          status: status[at],
          json: Buffer.from(json.subarray(start, end)),
          queueMs: startedMs - sinceMs,
          inferenceMs: inferenceMs / count,
        });
        start = end;
      });
    } catch (error) {
      for (const { fail } of sites) fail(error as Error);
    }
  }

  /** The least of some tries: what else this machine does is not the models' fault. */
  async #millisecondsOfOneRow(): Promise<number> {
    const { models } = await this.#predictor;
    const { features } = this.data.grid;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < TRIES; i++) {
      // Models run when it is their turn in the event loop. What else had its turn before is not counted.
      const started = nextTurn().then(() => performance.now());
      const runs = models.map((model) => model.run(features.slice(0, model.featureCount), Uint8Array.of(0)));
      await Promise.all(runs);
      least = Math.min(least, performance.now() - (await started));
    }
    return least;
  }
}
