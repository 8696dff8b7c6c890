/**
 * Bytes that Node's parser gets in one turn of the event loop, unless they belong to a body of known length. Most
 * requests are shorter. The shortest requests and chunks in this many bytes take about a millisecond.
 */
export const BYTES_PER_TURN = 4096;

/** Lines of these: Node emits an event for each chunk of a body, and a chunk of one byte takes two lines. */
const LINES_PER_TURN = 128;

/** Up to this many bytes are passed without counting lines: they hold at most LINES_PER_TURN chunks of one byte. */
const UNCOUNTED_BYTES = 768;

const LINE_FEED = 0x0a;

/** How many of the bytes received are passed in a turn. */
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
