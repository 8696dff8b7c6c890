import type { CurrentPhase, Phase } from '../http/server/phase.js';

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
