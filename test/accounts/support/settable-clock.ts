/** A clock that stands where a test puts it. */
export class SettableClock {
  #nowMs: number;

  /** @param now ISO 8601, as in `2026-11-20T12:00:00Z` */
  constructor(now: string) {
    this.#nowMs = Date.parse(now);
  }

  /** What takes the clock gets this function. */
  readonly nowMs = () => this.#nowMs;

  set(now: string): void {
    this.#nowMs = Date.parse(now);
  }

  advanceMs(spanMs: number): void {
    this.#nowMs += spanMs;
  }
}
