import sonicBoom from 'sonic-boom';

const STDOUT = 1;

/** Lines are written together, at the latest after this time: a write for each would cost more than the line. */
const WRITE_EVERY_MS = 250;
const WRITE_BYTES = 8 * 1024;

/** Lines that nobody reads wait up to this size; later ones are dropped, so that they cost no more memory. */
const KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Standard output for the lines of a log. Where it fails, because its disk is full or its reader gone, the lines that it
 * was given are tried again and again, and those that come meanwhile are dropped and counted. Where its reader is stuck,
 * lines wait; what is beyond `KEPT_BYTES` is dropped and counted, too.
 */
export class LogOutput {
  readonly #stream: InstanceType<typeof sonicBoom.SonicBoom>;
  readonly #onRecovery: (linesDropped: number) => void;
  #linesDropped = 0;
  #linesReported = 0;
  #isFailing = false;

  /** @param onRecovery is told how many lines were dropped when lines can be written again after some could not */
  constructor(onRecovery: (linesDropped: number) => void) {
    this.#onRecovery = onRecovery;
    this.#stream = new sonicBoom.SonicBoom({
      fd: STDOUT,
      minLength: WRITE_BYTES,
      periodicFlush: WRITE_EVERY_MS,
      maxLength: KEPT_BYTES,
    });
    this.#stream.on('drop', () => {
      this.#linesDropped++;
    });
    // The stream itself keeps what it could not write, so that no line is written in part.
    this.#stream.on('error', () => {
      this.#isFailing = true;
    });
    this.#stream.on('drain', () => this.#report());
    // All work is done: lines that still wait are written now, or never.
    process.once('beforeExit', () => {
      if (!this.#isFailing) this.#report();
      this.#stream.end();
    });
  }

  /** Lines dropped since the start. */
  get linesDropped(): number {
    return this.#linesDropped;
  }

  write(line: string): void {
    if (this.#isFailing) this.#linesDropped++;
    else this.#stream.write(line);
  }

  flush(callback?: (error?: Error) => void): void {
    this.#stream.flush(callback);
  }

  #report(): void {
    const linesDropped = this.#linesDropped - this.#linesReported;
    if (linesDropped === 0 && !this.#isFailing) return;
    this.#linesReported = this.#linesDropped;
    this.#isFailing = false;
    this.#onRecovery(linesDropped);
  }
}
