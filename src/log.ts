import pino from 'pino';
import { redactKeys } from './accounts/key-format.js';
import { LogOutput } from './output/log-output.js';

/** A log that counts its dropped lines. */
export type Log = pino.Logger & { linesDropped(): number };

/**
 * Creates a log of JSON lines. API keys in any field or message are redacted.
 * @param destination receives the lines instead of standard output
 */
export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const reportDrops = (linesDropped: number) =>
    log.warn({ lines_dropped: linesDropped }, 'standard output can be written to again');
  const output = destination ?? new LogOutput(reportDrops);
  const log: pino.Logger = pino({ level, hooks: { streamWrite: redactKeys } }, output);
  return Object.assign(log, { linesDropped: () => (output instanceof LogOutput ? output.linesDropped : 0) });
}
