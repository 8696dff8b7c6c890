import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../../support/service-process.js';

/** A disk of a fixed size, mounted until the running test is over. */
export class SmallDisk {
  readonly folder = temporaryFolder();
  readonly #filling = path.join(this.folder, 'filling');

  constructor(bytes: number) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'none', this.folder]);
    onTestFinished(() => void execFileSync('umount', ['--lazy', this.folder]));
  }

  /** Fills the disk to the last byte. */
  fill(): void {
    const file = openSync(this.#filling, 'w');
    try {
      for (;;) writeSync(file, Buffer.alloc(1024));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Frees the space that `fill` took. */
  clear(): void {
    rmSync(this.#filling);
  }
}
