import pino from 'pino';

export type Log = pino.Logger;

/** Lines are written together, at the latest after this time: a write for each would cost more than the line. */
const WRITE_EVERY_MS = 250;
const WRITE_BYTES = 8 * 1024;

/** The process's log: JSON lines on standard output. What is not yet written is at the exit of the process. */
export function createLog(level: string): Log {
  const log = pino({ level }, pino.destination({ sync: false, minLength: WRITE_BYTES }));
  setInterval(() => log.flush(), WRITE_EVERY_MS).unref();
  return log;
}
