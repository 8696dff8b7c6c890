import type { Accounts } from '../../accounts/accounts.js';
import type { Clock } from '../../accounts/clock.js';
import type { Config } from '../../config.js';
import type { Metrics } from '../../observability/metrics.js';
import type { Serving } from '../../work/generation.js';
import type { CurrentPhase } from '../response/catalogue-schemas.js';
import type { Connections } from '../server/connections.js';
import type { Submitter } from '../submitter.js';

/** The parts of the service that the API is composed from. */
export interface ApiParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly phase: CurrentPhase;
  readonly accounts: Accounts;
  readonly serving: Serving;
  readonly connections: Connections;
  readonly metrics: Metrics;
}

/** What routes have in common. */
export interface RouteContext extends ApiParts {
  readonly submitter: Submitter;
}
