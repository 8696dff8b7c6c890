/** A clock that stands still until a test sets it. */
export class SettableClock {
  #nowMs: number;

  /** @param now ISO 8601, as in `2026-11-20T12:00:00Z` */
  constructor(now: string) {
    this.#nowMs = Date.parse(now);
  }

  /** The time in ms since 1970; a function without `this`, to be passed on. */
  readonly nowMs = () => this.#nowMs;

  set(now: string): void {
    this.#nowMs = Date.parse(now);
  }

  advanceMs(spanMs: number): void {
    this.#nowMs += spanMs;
  }
}
