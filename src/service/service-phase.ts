import type { CurrentPhase, Phase } from '../http/phase.js';
import { OPEN_TIMEOUT_MS, type WorkerPool } from '../work/worker-pool.js';

/** Time to replace lost workers, which takes a second or two. Workers that open their models have OPEN_TIMEOUT_MS. */
const RECOVERY_MS = 8000;
const LOOK_EVERY_MS = 1000;

/** The phase of this process. Ends the process if lost workers are not replaced in time. */
export class ServicePhase implements CurrentPhase {
  current: Phase = 'starting';
  #watch: NodeJS.Timeout | undefined;

  /** @param onFatal ends the process, for its supervisor to start another */
  constructor(private readonly onFatal: (reason: string) => void) {}

  /** Call when every worker is ready. */
  start(): void {
    this.current = 'ok';
  }

  /** Final: lost workers no longer end the process, since a drain has its own deadline. */
  drain(): void {
    this.current = 'draining';
    clearInterval(this.#watch);
  }

  /**
   * Call whenever a worker died or became ready.
   * @param workers read again later, as they change
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
        this.onFatal('workers were lost and not replaced');
      }, LOOK_EVERY_MS);
    } else if (this.current === 'degraded' && workers.ready === workers.size) {
      this.current = 'ok';
      clearInterval(this.#watch);
    }
  }
}
