import { KeyedLimit } from '../../../scheduling/keyed-limit.js';

/** Rows of a job: enough to fill several runs, since workers and encoders cost less a row in large ones. */
const MAX_ROWS = 2000;

/**
 * Bounds how much of the scheduler's queue the tables of each key take: half of it. If they alone filled it, other requests
 * of the key would be rejected. Its plans and surfaces may take the other half (`KeyTurns`): with many of both a key fills
 * the queue, and its further requests are rejected, but not those of other keys.
 */
export class JobLimit extends KeyedLimit {
  /** Rows of a job at most. */
  readonly rows: number;

  /** @param queueLimitSites sites that may wait in the scheduler */
  constructor(queueLimitSites: number) {
    const share = Math.floor(queueLimitSites / 2);
    const rows = Math.min(MAX_ROWS, share);
    super(Math.floor(share / rows));
    this.rows = rows;
  }
}
