import type { Accounts } from '../accounts/accounts.js';
import type { Clock } from '../accounts/clock.js';
import type { Config } from '../config.js';
import type { Generations } from '../generations.js';
import type { BufferPool } from '../pool/buffer-pool.js';
import type { Turnstile } from '../pool/turnstile.js';
import type { ServicePhase } from '../service-phase.js';
import type { Connections } from './connections.js';
import type { Metrics } from './metrics.js';

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
