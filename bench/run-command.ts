import { existsSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../src/cli/command-line.js';

/** Runs a command and sets the exit code: 0 or 1 as `main` says, 1 for a failure, 2 and the usage for an invalid command line. */
export async function runCommand(name: string, usage: string, main: () => Promise<0 | 1>): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isUsage = error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS') === true;
    process.stderr.write(`${name}: ${message}\n${isUsage ? usage : ''}`);
    process.exitCode = isUsage ? 2 : 1;
  }
}

/** @throws UsageError if there is no built checkout to compare with in a folder */
export function checkBuild(against: string | undefined): asserts against is string {
  if (against === undefined || !existsSync(path.join(against, 'dist/main.js')))
    throw new UsageError(`--against must name the folder of a built checkout, not ${against ?? '""'}`);
}
