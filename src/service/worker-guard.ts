import type { ServicePhase } from './service-phase.js';

/** How long workers may be missing: a replacement takes well under a second. */
const RECOVERY_MS = 8000;

/**
 * Keeps the phase true to the workers: `degraded` while some are missing. If they do not come back the process is of no
 * more use, and whoever runs it starts another.
 */
export class WorkerGuard {
  #deadline: NodeJS.Timeout | undefined;

  /** @param giveUp ends the process */
  constructor(
    readonly phase: ServicePhase,
    readonly giveUp: (reason: string) => void,
  ) {}

  /** To be called whenever a worker died or became ready. */
  check({ ready, size }: { readonly ready: number; readonly size: number }): void {
    if (this.phase.current === 'ok' && ready < size) {
      this.phase.enter('degraded');
      this.#deadline = setTimeout(() => {
        // A drain has its own deadline, and workers that are left answer what is in flight.
        if (this.phase.current === 'degraded') this.giveUp('workers were lost and did not come back');
      }, RECOVERY_MS);
    } else if (this.phase.current === 'degraded' && ready === size) {
      this.phase.enter('ok');
      clearTimeout(this.#deadline);
    }
  }

  /** Stops watching: the service ends anyway. */
  stop(): void {
    clearTimeout(this.#deadline);
  }
}
