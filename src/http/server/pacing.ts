/**
 * Requests of one key that begin in a turn of the event loop while other keys call. A single prediction needs about three
 * turns, and each of the requests that 32 busy connections send in a turn would lengthen it by 30 to 100 us.
 */
const REQUESTS_PER_TURN = 6;

/** How long, in ms, keys share the turns after a request of one key has followed that of another. */
const SHARED_MS = 1000;

/**
 * Paces the requests of keys: while several keys call, only a few requests of each begin in a turn of the event loop. The
 * requests of a key that calls alone all begin at once, because those that begin in one turn cost less together.
 */
export class RequestPacer {
  /** By key, the requests that began in this turn. */
  readonly #begun = new Map<string, number>();
  #latestKey: string | undefined;
  #sharedUntilMs = Number.NEGATIVE_INFINITY;

  /** Notes that a key calls. */
  note(keyId: string): void {
    if (keyId === this.#latestKey) return;
    if (this.#latestKey !== undefined) this.#sharedUntilMs = performance.now() + SHARED_MS;
    this.#latestKey = keyId;
  }

  /**
   * Whether a request may begin in this turn. If not, the caller asks again in the next turn by `setImmediate`, so that
   * waiting requests come first, in their order.
   * @param keyId undefined if no key is known: such a request never waits
   */
  mayBegin(keyId: string | undefined): boolean {
    if (keyId === undefined || performance.now() >= this.#sharedUntilMs) return true;
    if (this.#begun.size === 0) setImmediate(() => this.#begun.clear());
    const begun = this.#begun.get(keyId) ?? 0;
    if (begun >= REQUESTS_PER_TURN) return false;
    this.#begun.set(keyId, begun + 1);
    return true;
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
