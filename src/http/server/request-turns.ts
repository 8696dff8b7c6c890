/**
 * Requests of one key that begin in a turn of the event loop while other keys call. A single prediction needs about three
 * turns, and each of the requests that 32 busy connections send in a turn would lengthen it by 30 to 100 us.
 */
const REQUESTS_PER_TURN = 6;

/** How long keys share the turns after the requests of two of them followed one another, ms. */
const SHARED_MS = 1000;

/**
 * Lets keys take turns: while several call, only a few requests of each begin in a turn of the event loop. The requests of
 * a key that calls alone all begin at once, because those that begin in one turn cost less together.
 */
export class RequestTurns {
  /** By key, the requests that began in this turn. */
  readonly #begun = new Map<string, number>();
  /** By key, what is called when the next request may begin, in the order of arrival. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #latestKey: string | undefined;
  #sharedUntilMs = Number.NEGATIVE_INFINITY;
  #hasNextTurn = false;

  /**
   * Begins a request in this turn of the event loop or, after those of its key that wait, in a later one.
   * @param keyId undefined where no key is known: such a request never waits
   * @param beginLater called when the request may begin, unless it may at once
   * @returns whether it may begin at once
   */
  begin(keyId: string | undefined, beginLater: () => void): boolean {
    if (keyId === undefined || !this.#isShared(keyId)) return true;
    this.#awaitNextTurn();
    const waiting = this.#waiting.get(keyId);
    const begun = this.#begun.get(keyId) ?? 0;
    if (waiting !== undefined) waiting.push(beginLater);
    else if (begun === REQUESTS_PER_TURN) this.#waiting.set(keyId, [beginLater]);
    else {
      this.#begun.set(keyId, begun + 1);
      return true;
    }
    return false;
  }

  #isShared(keyId: string): boolean {
    const nowMs = performance.now();
    if (keyId !== this.#latestKey) {
      if (this.#latestKey !== undefined) this.#sharedUntilMs = nowMs + SHARED_MS;
      this.#latestKey = keyId;
    }
    return nowMs < this.#sharedUntilMs || this.#waiting.size > 0;
  }

  #awaitNextTurn(): void {
    if (this.#hasNextTurn) return;
    this.#hasNextTurn = true;
    setImmediate(() => {
      this.#hasNextTurn = false;
      this.#begun.clear();
      if (this.#waiting.size > 0) this.#awaitNextTurn();
      for (const [keyId, waiting] of [...this.#waiting]) {
        const next = waiting.splice(0, REQUESTS_PER_TURN);
        if (waiting.length === 0) this.#waiting.delete(keyId);
        this.#begun.set(keyId, next.length);
        for (const begin of next) begin();
      }
    });
  }
}
