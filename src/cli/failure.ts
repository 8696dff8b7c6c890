import { redactKeys } from '../accounts/key-format.js';
import { oneLine } from '../output/printable.js';
import { UsageError } from './usage-error.js';

/** How a command that failed ends: 2 for a command line that makes no sense, 1 for all else. */
export interface Failure {
  readonly exitCode: 1 | 2;
  readonly stderr: string;
}

/** What a failure of any kind is told as: one line, and where to look for a command line that makes sense. */
export function failureOf(command: 'keys' | 'models', error: unknown): Failure {
  const stderr = `${command}: ${oneLine(redactKeys(error instanceof Error ? error.message : String(error)))}\n`;
  return error instanceof UsageError
    ? { exitCode: 2, stderr: `${stderr}"${command} --help" shows how it is used.\n` }
    : { exitCode: 1, stderr };
}
