import type { CurrentPhase, Phase } from '../http/phase.js';
import { OPEN_TIMEOUT_MS, type WorkerPool } from '../work/worker-pool.js';

/** Time for lost workers to be replaced, which takes a second or two. Those still opening their models have that of a start. */
const RECOVERY_MS = 8000;
const LOOK_EVERY_MS = 1000;

/** The phase of this process. Workers that are lost and not replaced in time end it. */
export class ServicePhase implements CurrentPhase {
  current: Phase = 'starting';
  #watch: NodeJS.Timeout | undefined;

  /** @param onFatal ends the process, for its supervisor to start another */
  constructor(private readonly onFatal: (reason: string) => void) {}

  /** Every worker is ready. */
  start(): void {
    this.current = 'ok';
  }

  /** Final. A drain has its own deadline, and the remaining workers finish the requests in flight. */
  drain(): void {
    this.current = 'draining';
    clearInterval(this.#watch);
  }

  /**
   * To be called whenever a worker died or became ready.
   * @param workers read again later
   */
  checkWorkers(workers: Pick<WorkerPool, 'ready' | 'opening' | 'size'>): void {
    if (this.current === 'ok' && workers.ready < workers.size) {
      this.current = 'degraded';
      let missingMs = 0;
      this.#watch = setInterval(() => {
        missingMs += LOOK_EVERY_MS;
        const areOpening = workers.ready + workers.opening >= workers.size && missingMs < OPEN_TIMEOUT_MS;
        if (missingMs < RECOVERY_MS || areOpening) return;
        clearInterval(this.#watch);
        this.onFatal('workers were lost and did not come back');
      }, LOOK_EVERY_MS);
    } else if (this.current === 'degraded' && workers.ready === workers.size) {
      this.current = 'ok';
      clearInterval(this.#watch);
    }
  }
}
