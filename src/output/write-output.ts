import { fstatSync, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';

const STDOUT = 1;
const STDERR = 2;

/** How soon to try again where a pipe is full, and how long it may take nothing at all. */
const RETRY_AFTER_MS = 10;
const PATIENCE_MS = 5000;

/** Standard output did not take all of a text; the message is one line that says why. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/**
 * Writes all of a text to standard output before it returns: what must be known to be written.
 * @throws OutputError
 */
export function writeOutput(text: string): void {
  try {
    writeAll(STDOUT, text);
  } catch (error) {
    throw new OutputError(`standard output cannot be written to (${(error as Error).message})`, {
      cause: error,
    });
  }
}

/**
 * The same for a secret, which somebody has to see: the null device, which also stands in for an output that was closed,
 * does not count as written to.
 * @throws OutputError
 */
export function writeSecret(text: string): void {
  if (fstatSync(STDOUT).rdev === statSync(devNull).rdev)
    throw new OutputError(`standard output is closed or goes to ${devNull}`);
  writeOutput(text);
}

/** Writes a text to standard error. Where that cannot be written to there is nobody to tell. */
export function writeError(text: string): void {
  try {
    writeAll(STDERR, text);
  } catch {}
}

function writeAll(fd: number, text: string): void {
  let rest = Buffer.from(text);
  let lastMs = performance.now();
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
      lastMs = performance.now();
    } catch (error) {
      const isFull = (error as NodeJS.ErrnoException).code === 'EAGAIN';
      if (!isFull || performance.now() - lastMs > PATIENCE_MS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_AFTER_MS);
    }
  }
}
