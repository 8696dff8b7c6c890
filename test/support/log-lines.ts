import { EventEmitter, on } from 'node:events';

export type LogLine = Readonly<Record<string, unknown>>;

/** A destination for a service's log that a test can read and wait on. */
export class LogLines extends EventEmitter<{ line: [LogLine] }> {
  readonly all: LogLine[] = [];

  write(text: string): void {
    const line = JSON.parse(text) as LogLine;
    this.all.push(line);
    this.emit('line', line);
  }

  /** The first line that fits, written already or still to come. */
  async find(fits: (line: LogLine) => boolean): Promise<LogLine> {
    const written = this.all.find(fits);
    if (written !== undefined) return written;
    for await (const [line] of on(this, 'line')) if (fits(line as LogLine)) return line as LogLine;
    throw new Error('unreachable: lines are waited for without end');
  }
}
