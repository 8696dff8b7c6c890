/** `starting` until every worker has loaded its models, `degraded` when workers were lost, `draining` from SIGTERM. */
export const PHASES = ['ok', 'starting', 'degraded', 'draining'] as const;

export type Phase = (typeof PHASES)[number];

/** The phase of the process as HTTP reads it; the service sets it. */
export interface CurrentPhase {
  readonly current: Phase;
}
