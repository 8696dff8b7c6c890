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
  #isStopped = false;

  /** Learns that a key calls. */
  note(keyId: string): void {
    if (keyId === this.#latestKey) return;
    if (this.#latestKey !== undefined) this.#sharedUntilMs = performance.now() + SHARED_MS;
    this.#latestKey = keyId;
  }

  /** Lets all requests begin at once from now on. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Begins a request in this turn of the event loop or, after those of its key that wait, in a later one.
   * @param keyId undefined where no key is known: such a request never waits
   * @param beginLater called when the request may begin, unless it may at once
   * @returns whether it may begin at once
   */
  begin(keyId: string | undefined, beginLater: () => void): boolean {
    if (keyId === undefined || !this.#isShared) return true;
    this.#awaitNextTurn();
    const waiting = this.#waiting.get(keyId);
    const begun = this.#begun.get(keyId) ?? 0;
    if (waiting !== undefined) waiting.push(beginLater);
    else if (begun >= REQUESTS_PER_TURN) this.#waiting.set(keyId, [beginLater]);
    else {
      this.#begun.set(keyId, begun + 1);
      return true;
    }
    return false;
  }

  get #isShared(): boolean {
    return !this.#isStopped && performance.now() < this.#sharedUntilMs;
  }

  #awaitNextTurn(): void {
    if (this.#hasNextTurn) return;
    this.#hasNextTurn = true;
    setImmediate(() => {
      this.#hasNextTurn = false;
      this.#begun.clear();
      const most = this.#isShared ? REQUESTS_PER_TURN : Number.POSITIVE_INFINITY;
      for (const [keyId, waiting] of [...this.#waiting]) {
        const next = waiting.splice(0, most);
        if (waiting.length === 0) this.#waiting.delete(keyId);
        this.#begun.set(keyId, next.length);
        this.#awaitNextTurn();
        for (const begin of next) begin();
      }
    });
  }
}
