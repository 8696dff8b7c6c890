import type { CurrentPhase, Phase } from '../http/response/catalogue-schemas.js';

/** Time for lost workers to be replaced, which takes well under a second. */
const RECOVERY_MS = 8000;

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

  /** To be called whenever a worker died or became ready. */
  checkWorkers({ ready, size }: { readonly ready: number; readonly size: number }): void {
    if (this.current === 'ok' && ready < size) {
      this.current = 'degraded';
      this.#deadline = setTimeout(this.onFatal, RECOVERY_MS, 'workers were lost and did not come back');
    } else if (this.current === 'degraded' && ready === size) {
      this.current = 'ok';
      clearTimeout(this.#deadline);
    }
  }
}
