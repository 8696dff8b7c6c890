import { fstatSync, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { ExplainedError } from './explained-error.js';

const STDOUT = 1;
const STDERR = 2;

/** When to retry if a pipe is full, and how long it may stay full. */
const RETRY_AFTER_MS = 10;
const STALLED_TIMEOUT_MS = 5000;

/** A text could not be written completely to standard output; the message is one line with the reason. */
export class OutputError extends ExplainedError {}

/** Writes a text to standard output synchronously and completely. @throws OutputError */
export function writeOutput(text: string): void {
  try {
    writeAll(STDOUT, text);
  } catch (error) {
    throw new OutputError(`standard output cannot be written to (${(error as Error).message})`);
  }
}

/**
 * The same for a secret, which is lost if nobody sees it: refuses the null device, which Node also opens in place of a
 * closed output.
 */
export function writeSecret(text: string): void {
  if (fstatSync(STDOUT).rdev === statSync(devNull).rdev)
    throw new OutputError(`standard output is closed or goes to ${devNull}`);
  writeOutput(text);
}

/** Writes a text to standard error, and ignores failures: there is no other place to report them. */
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
      if (!isFull || performance.now() - lastMs > STALLED_TIMEOUT_MS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_AFTER_MS);
    }
  }
}
