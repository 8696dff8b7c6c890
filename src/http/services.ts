import type { Accounts } from '../accounts/accounts.js';
import type { Clock } from '../accounts/clock.js';
import type { Config } from '../config.js';
import type { Metrics } from '../observability/metrics.js';
import type { BufferPool } from '../pool/buffer-pool.js';
import type { Turnstile } from '../scheduling/turnstile.js';
import type { Generations } from '../service/models/generations.js';
import type { ServicePhase } from '../service/service-phase.js';
import type { Connections } from './server/connections.js';

/** What the HTTP layer stands on. */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly phase: ServicePhase;
  readonly accounts: Accounts;
  readonly generations: Generations;
  readonly buffers: BufferPool;
  readonly turnstile: Turnstile;
  /** Of the public interface. */
  readonly connections: Connections;
  readonly metrics: Metrics;
}
