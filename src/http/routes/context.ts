import type { Accounts } from '../../accounts/accounts.js';
import type { Config } from '../../config.js';
import type { Metrics } from '../../observability/metrics.js';
import type { MemoryBudget } from '../../work/admission.js';
import type { Serving } from '../../work/generation.js';
import type { CurrentPhase } from '../phase.js';
import type { Connections } from '../server/connections.js';
import type { Submitter } from '../submitter.js';

/** What the service passes to its listeners. */
export interface ApiDependencies {
  readonly config: Config;
  readonly nowMs: () => number;
  readonly phase: CurrentPhase;
  readonly accounts: Accounts;
  readonly serving: Serving;
  readonly connections: Connections;
  readonly metrics: Metrics;
}

/** What routes have in common. */
export interface RouteContext extends ApiDependencies {
  readonly submitter: Submitter;
  /** For open tables, and for large answers until they are sent. */
  readonly memory: MemoryBudget;
  /**
   * By key, the sites of batches whose bodies are arriving, estimated from the lengths of the bodies. If only waiting
   * sites were counted, every batch whose head arrives before the bodies of the others would seem to fit into the queue,
   * and the service would read most bodies only to reject them.
   */
  readonly arriving: Map<string, number>;
}
