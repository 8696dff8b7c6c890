import type { CurrentPhase, Phase } from '../work/serving/serving.js';

/** Time for lost workers to be replaced, which takes well under a second. */
const RECOVERY_MS = 8000;

/** The phase of this process; `draining` is final. */
export class ServicePhase implements CurrentPhase {
  #phase: Phase = 'starting';

  get current(): Phase {
    return this.#phase;
  }

  enter(phase: Phase): void {
    if (this.#phase !== 'draining') this.#phase = phase;
  }
}

/** Sets the phase to `degraded` while workers are missing, and reports workers that are not replaced in time. */
export class WorkerGuard {
  #deadline: NodeJS.Timeout | undefined;

  /** @param onFatal ends the process, for its supervisor to start another */
  constructor(
    private readonly phase: ServicePhase,
    private readonly onFatal: (reason: string) => void,
  ) {}

  /** To be called whenever a worker died or became ready. */
  check({ ready, size }: { readonly ready: number; readonly size: number }): void {
    if (this.phase.current === 'ok' && ready < size) {
      this.phase.enter('degraded');
      this.#deadline = setTimeout(() => {
        // A drain has its own deadline, and the remaining workers finish the requests in flight.
        if (this.phase.current === 'degraded') this.onFatal('workers were lost and did not come back');
      }, RECOVERY_MS);
    } else if (this.phase.current === 'degraded' && ready === size) {
      this.phase.enter('ok');
      clearTimeout(this.#deadline);
    }
  }

  /** Cancels the deadline, because the service ends. */
  stop(): void {
    clearTimeout(this.#deadline);
  }
}
