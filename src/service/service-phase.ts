import type { CurrentPhase, Phase } from '../http/response/catalogue-schemas.js';

/** Time for lost workers to be replaced, which takes a second or two. */
const RECOVERY_MS = 8000;
/** The same for replacements that are still opening their models after that, as on a busy machine. A start has as long. */
const SLOW_RECOVERY_MS = 30_000;
const LOOK_EVERY_MS = 1000;

/** The threads of a pool: those that answer, those that open their models, and how many there should be. */
interface Workers {
  readonly ready: number;
  readonly opening: number;
  readonly size: number;
}

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
      this.#deadline = setTimeout(() => this.#giveUp(workers, RECOVERY_MS), RECOVERY_MS);
    } else if (this.current === 'degraded' && workers.ready === workers.size) {
      this.current = 'ok';
      clearTimeout(this.#deadline);
    }
  }

  #giveUp(workers: Workers, afterMs: number): void {
    const isHopeless = workers.ready + workers.opening < workers.size || afterMs >= SLOW_RECOVERY_MS;
    if (isHopeless) this.onFatal('workers were lost and did not come back');
    else this.#deadline = setTimeout(() => this.#giveUp(workers, afterMs + LOOK_EVERY_MS), LOOK_EVERY_MS);
  }
}
