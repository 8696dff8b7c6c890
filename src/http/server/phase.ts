/**
 * The phase of the service: `starting` until every worker has loaded its models, `ok`, `degraded` when workers were
 * lost, `draining` from SIGTERM on.
 */
export type Phase = 'starting' | 'ok' | 'degraded' | 'draining';

/** The phase as HTTP reads it; the service sets it. */
export interface CurrentPhase {
  readonly current: Phase;
}
