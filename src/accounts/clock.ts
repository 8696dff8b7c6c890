/** Where the accounts take the time from. Tests set it; nothing in `src/accounts` reads the time elsewhere. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  nowMs(): number;
}

/** The machine's own wall clock. */
export const systemClock: Clock = { nowMs: () => Date.now() };
