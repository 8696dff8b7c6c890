import pino from 'pino';
import sonicBoom from 'sonic-boom';
import { redactKeys } from './output/printable.js';

/** Lines are written in groups, after this time at the latest: one write per line would cost more than the line. */
const WRITE_EVERY_MS = 250;
const WRITE_BYTES = 8 * 1024;

/** The most of one write. Each write needs a turn of the event loop, and under load a turn may take seconds. */
const MAX_WRITE_BYTES = 1024 * 1024;

/** Bounds the memory of lines that are not read; later lines are dropped. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

export type Log = pino.Logger & { linesDropped(): number };

/** Creates a log of JSON lines, on standard output by default. API keys in any field or message are redacted. */
export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const reportDrops = (linesDropped: number) =>
    log.warn({ lines_dropped: linesDropped }, 'standard output is writable again');
  const output = destination ?? new LogOutput(reportDrops);
  const log: pino.Logger = pino({ level, hooks: { streamWrite: redactKeys } }, output);
  return Object.assign(log, { linesDropped: () => (output instanceof LogOutput ? output.linesDropped : 0) });
}

/**
 * Standard output for log lines. If it fails, because its disk is full or its reader is gone, buffered lines are retried
 * until they are written, and lines that arrive meanwhile are dropped and counted. If its reader is stuck, lines are
 * buffered up to `MAX_WAITING_BYTES`; further lines are dropped and counted.
 */
class LogOutput {
  readonly #stream = new sonicBoom.SonicBoom({
    fd: 1,
    minLength: WRITE_BYTES,
    maxWrite: MAX_WRITE_BYTES,
    periodicFlush: WRITE_EVERY_MS,
    maxLength: MAX_WAITING_BYTES,
    contentMode: 'buffer',
  });
  /** Since the start. */
  linesDropped = 0;
  #linesReported = 0;
  #isFailing = false;
  #hasEnded = false;

  /** @param onRecovery called with the number of dropped lines when lines can be written again after a failure */
  constructor(private readonly onRecovery: (linesDropped: number) => void) {
    this.#stream.on('drop', () => {
      this.linesDropped++;
    });
    // The stream keeps what it could not write, so that no line is written in part.
    this.#stream.on('error', () => {
      this.#isFailing = true;
    });
    this.#stream.on('drain', () => this.#report());
    // The last chance to write buffered lines.
    process.once('beforeExit', () => {
      if (!this.#isFailing) this.#report();
      this.#hasEnded = true;
      this.#stream.end();
    });
  }

  write(line: string): void {
    // A signal may still be logged when the stream has ended with the process.
    if (this.#isFailing || this.#hasEnded) this.linesDropped++;
    // As bytes, though its types allow only strings: it counts the bytes of all strings in a group again for each line.
    else this.#stream.write(Buffer.from(line) as unknown as string);
  }

  flush(callback?: (error?: Error) => void): void {
    this.#stream.flush(callback);
  }

  #report(): void {
    const linesDropped = this.linesDropped - this.#linesReported;
    if (linesDropped === 0 && !this.#isFailing) return;
    this.#linesReported = this.linesDropped;
    this.#isFailing = false;
    this.onRecovery(linesDropped);
  }
}
