/**
 * Where the service is in its life: `starting` until every worker has its models open, `ok`, `degraded` when workers
 * were lost, `draining` from SIGTERM on.
 */
export type Phase = 'starting' | 'ok' | 'degraded' | 'draining';

/** The phase of this process; `draining` is final. */
export class ServicePhase {
  #phase: Phase = 'starting';

  get current(): Phase {
    return this.#phase;
  }

  enter(phase: Phase): void {
    if (this.#phase !== 'draining') this.#phase = phase;
  }
}
