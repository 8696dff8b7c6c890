import pino from 'pino';

export type Log = pino.Logger;

/** Lines are written together, at the latest after this time: a write for each would cost more than the line. */
const WRITE_EVERY_MS = 250;
const WRITE_BYTES = 8 * 1024;

/** Lines that nobody takes are kept up to this size; later ones are dropped, so that a stuck reader costs no memory. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** The process's log: JSON lines on standard output. Lines that still wait when all work is done are written then. */
export function createLog(level: string): Log {
  const stream = pino.destination({
    sync: false,
    minLength: WRITE_BYTES,
    periodicFlush: WRITE_EVERY_MS,
    maxLength: KEPT_BYTES,
  });
  // Its own tries again for ever where whoever read the lines is gone, and the process never ends.
  stream.flushSync = () => {};
  process.once('beforeExit', () => stream.flush());
  return pino({ level }, stream);
}
