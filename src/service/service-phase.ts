import type { CurrentPhase, Phase } from '../http/response/catalogue-schemas.js';
import { OPEN_TIMEOUT_MS, type WorkerPool } from '../work/worker-pool.js';

/** Time for lost workers to be replaced, which takes a second or two. Those still opening their models have that of a start. */
const RECOVERY_MS = 8000;
const LOOK_EVERY_MS = 1000;

type Workers = Pick<WorkerPool, 'ready' | 'opening' | 'size'>;

/** The phase of this process. Workers that are lost and not replaced in time end it. */
export class ServicePhase implements CurrentPhase {
  current: Phase = 'starting';
  #deadline: NodeJS.Timeout | undefined;

  /** @param onFatal ends the process, for its supervisor to start another */
  constructor(private readonly onFatal: (reason: string) => void) {}

  /** Every worker is ready. */
  start(): void {
    this.current = 'ok';
  }

  /** Final. A drain has its own deadline, and the remaining workers finish the requests in flight. */
  drain(): void {
    this.current = 'draining';
    clearTimeout(this.#deadline);
  }

  /**
   * To be called whenever a worker died or became ready.
   * @param workers read again later
   */
  checkWorkers(workers: Workers): void {
    if (this.current === 'ok' && workers.ready < workers.size) {
      this.current = 'degraded';
      this.#deadline = setTimeout(() => this.#endIfHopeless(workers, RECOVERY_MS), RECOVERY_MS);
    } else if (this.current === 'degraded' && workers.ready === workers.size) {
      this.current = 'ok';
      clearTimeout(this.#deadline);
    }
  }

  /** Looks again as long as the replacements are still opening their models and are not late. */
  #endIfHopeless(workers: Workers, afterMs: number): void {
    const isHopeless = workers.ready + workers.opening < workers.size || afterMs >= OPEN_TIMEOUT_MS;
    if (isHopeless) this.onFatal('workers were lost and did not come back');
    else
      this.#deadline = setTimeout(() => this.#endIfHopeless(workers, afterMs + LOOK_EVERY_MS), LOOK_EVERY_MS);
  }
}
