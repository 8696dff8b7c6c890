/**
 * Bytes of requests that begin in a turn of the event loop, of each key, while several keys call: one batch, or six small
 * requests. A single prediction needs about three turns, and each of the requests that 32 busy connections send in a
 * turn would lengthen it by 30 to 100 us.
 */
const SHARED_BYTES = 24 * 1024;

/** The same of a key that calls alone: six batches, or the 64 single predictions that cost less together. */
const ALONE_BYTES = 256 * 1024;

/** How long, in ms, keys share the turns after a request of one key has followed that of another. */
const SHARED_MS = 1000;

/**
 * Connections that are accepted before more requests begin. Node accepts one in a turn, so that a new caller, such as a
 * health check, waits for as many turns as there are connections before it.
 */
const ACCEPTED_FIRST = 16;

/**
 * Paces the requests of keys: only a few of each begin in a turn of the event loop, fewer while several keys call. The
 * others wait, in their order. Requests without a key are paced like those of one key: `undefined`.
 */
export class RequestPacer {
  /** By key, the bytes of the requests that began in this turn. */
  readonly #begunBytes = new Map<string | undefined, number>();
  /** By key, what to call when a request may begin. */
  readonly #waiting = new Map<string | undefined, (() => void)[]>();
  /** Whether a connection was accepted in this turn. */
  #hasAccepted = false;
  /** Turns without requests, because connections were accepted in them. */
  #shortTurns = 0;
  #latestKey: string | undefined;
  #sharedUntilMs = Number.NEGATIVE_INFINITY;

  noteConnection(): void {
    this.#hasAccepted = true;
  }

  note(keyId: string): void {
    if (keyId === this.#latestKey) return;
    if (this.#latestKey !== undefined) this.#sharedUntilMs = performance.now() + SHARED_MS;
    this.#latestKey = keyId;
  }

  /**
   * Whether a request may begin in this turn. If not, it waits.
   * @param bytes received so far
   */
  mayBegin(keyId: string | undefined, bytes: number): boolean {
    if (this.#isTurnOver(keyId)) return false;
    if (this.#begunBytes.size === 0) setImmediate(() => this.#beginTurn());
    const begunBytes = this.#begunBytes.get(keyId) ?? 0;
    this.#begunBytes.set(keyId, begunBytes + Math.max(bytes, BYTES_PER_TURN));
    return true;
  }

  /** Calls back in a later turn, when a request that may not begin in this one may do so. */
  wait(keyId: string | undefined, callback: () => void): void {
    const waiting = this.#waiting.get(keyId);
    if (waiting === undefined) this.#waiting.set(keyId, [callback]);
    else waiting.push(callback);
  }

  #isTurnOver(keyId: string | undefined): boolean {
    const limit = performance.now() < this.#sharedUntilMs ? SHARED_BYTES : ALONE_BYTES;
    return (this.#begunBytes.get(keyId) ?? 0) >= limit;
  }

  /** Those that wait come before those that arrive in this turn. */
  #beginTurn(): void {
    if (this.#hasAccepted && this.#shortTurns < ACCEPTED_FIRST) {
      this.#hasAccepted = false;
      this.#shortTurns++;
      setImmediate(() => this.#beginTurn());
      return;
    }
    this.#shortTurns = 0;
    this.#begunBytes.clear();
    for (const [keyId, waiting] of this.#waiting) {
      while (waiting.length > 0 && !this.#isTurnOver(keyId)) waiting.shift()?.();
      if (waiting.length === 0) this.#waiting.delete(keyId);
    }
  }
}

/**
 * Bytes that Node's parser gets in one turn of the event loop, unless they belong to a body of known length. Most
 * requests are shorter. The shortest requests and chunks in this many bytes take about a millisecond.
 */
export const BYTES_PER_TURN = 4096;

/** The most lines in these bytes: Node emits an event for each chunk, and a chunk of one byte takes two lines. */
const LINES_PER_TURN = 128;

/** Up to this many bytes are passed without counting lines: they hold at most LINES_PER_TURN chunks of one byte. */
const UNCOUNTED_BYTES = 768;

const LINE_FEED = 0x0a;

/** How many of the received bytes to pass in this turn. */
export function turnEnd(bytes: Buffer): number {
  if (bytes.length <= UNCOUNTED_BYTES) return bytes.length;
  let end = 0;
  for (let lines = 0; lines < LINES_PER_TURN; lines++) {
    const next = bytes.indexOf(LINE_FEED, end) + 1;
    if (next === 0 || next > BYTES_PER_TURN) return BYTES_PER_TURN;
    end = next;
  }
  return end;
}

/** Whether bytes are a line end, which some callers send after a body and the parser skips. */
export function isLineEnd(bytes: Buffer): boolean {
  return bytes.length <= 2 && bytes.at(-1) === LINE_FEED;
}
