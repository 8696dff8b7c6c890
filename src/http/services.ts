import type { Accounts } from '../accounts/accounts.js';
import type { Clock } from '../accounts/clock.js';
import type { Config } from '../config.js';
import type { BufferPool } from '../pool/buffer-pool.js';
import type { Dispatcher } from '../pool/dispatcher.js';
import type { Turnstile } from '../pool/turnstile.js';
import type { WorkerPool } from '../pool/worker-pool.js';
import type { Artefacts } from '../prediction/artefacts.js';
import type { ServicePhase } from '../service-phase.js';
import type { Metrics } from './metrics.js';

/** What the HTTP layer stands on. */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly phase: ServicePhase;
  readonly accounts: Accounts;
  readonly artefacts: Artefacts;
  readonly pool: WorkerPool;
  readonly buffers: BufferPool;
  readonly dispatcher: Dispatcher;
  readonly turnstile: Turnstile;
  readonly metrics: Metrics;
}
