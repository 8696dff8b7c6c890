/** The source of time for the accounts, which tests replace. `src/accounts` reads the time from nowhere else. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };
