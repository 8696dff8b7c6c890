import pino from 'pino';
import { redactKeys } from './accounts/key-format.js';
import { LogOutput } from './output/log-output.js';

/** The process's log, which also tells how many of its lines were dropped. */
export type Log = pino.Logger & { linesDropped(): number };

/**
 * The process's log: JSON lines, with no key in any of them, whatever text of a library they quote.
 * @param destination takes the lines in the place of standard output
 */
export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const reportDrops = (linesDropped: number) =>
    log.warn({ lines_dropped: linesDropped }, 'standard output can be written to again');
  const output = destination ?? new LogOutput(reportDrops);
  const log: pino.Logger = pino({ level, hooks: { streamWrite: redactKeys } }, output);
  return Object.assign(log, { linesDropped: () => (output instanceof LogOutput ? output.linesDropped : 0) });
}
