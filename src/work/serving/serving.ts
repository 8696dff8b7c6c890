import type { Artefacts } from '../../prediction/artefacts/artefacts.js';
import type { Scheduler } from '../scheduler.js';
import type { OpenTables } from './open-tables.js';

/**
 * What predictions are served from: the grid and the models of one reading, and the schedulers over those that have
 * them open. All of it changes together, since rows hold indexes of its species: a request takes the current one once.
 */
export interface ServingGeneration {
  readonly artefacts: Artefacts;
  readonly searchRadiusKm: number;
  readonly workers: { readonly ready: number; readonly size: number };
  /** For batches, tables, plans and surfaces. */
  readonly batches: Scheduler;
  /** For single predictions, comparisons and rankings; the same one where workers answer these, too. */
  readonly singleSites: Scheduler;
  readonly tables: OpenTables;
  /** Does work that submits rows after it has waited: the generation is not closed before the work has ended. */
  keepOpen<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** What serves at the moment. */
export interface Serving {
  readonly current: ServingGeneration;
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
