import type { Generation } from '../generation.js';

/** What serves at the moment. */
export interface Serving {
  readonly current: Generation;
}

/**
 * The phases of the service: `starting` until every worker has loaded its models, `ok`, `degraded` when workers were
 * lost, `draining` from SIGTERM on.
 */
export const PHASES = ['ok', 'starting', 'degraded', 'draining'] as const;

export type Phase = (typeof PHASES)[number];

/** The phase as HTTP reads it; the service sets it. */
export interface CurrentPhase {
  readonly current: Phase;
}
