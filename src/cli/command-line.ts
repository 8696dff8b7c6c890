import { type ParseArgsConfig, parseArgs } from 'node:util';
import { oneLine, quote, redactKeys, shorten } from '../output/printable.js';

/** An invalid command line; the message names the value and what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** How a command ended: exit code 0 for success, 2 for an invalid command line, 1 for any other failure. */
export interface Outcome {
  readonly exitCode: 0 | 1 | 2;
  readonly stderr: string;
}

/** One line for any error, and a reference to the help for an invalid command line. */
export function failureOf(command: 'keys' | 'models', error: unknown): Outcome {
  const stderr = `${command}: ${oneLine(redactKeys(error instanceof Error ? error.message : String(error)))}\n`;
  return error instanceof UsageError
    ? { exitCode: 2, stderr: `${stderr}"${command} --help" shows its usage.\n` }
    : { exitCode: 1, stderr };
}

/** Splits the arguments of a command into options and positionals. @throws UsageError */
export function parseOptions<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    // The first sentence of parseArgs says what is wrong, the others how to escape.
    throw new UsageError(shorten((error as Error).message.split(/\.\s/, 1)[0]));
  }
}

/** @throws UsageError if there is any positional argument */
export function refusePositionals(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError(`unexpected argument ${quote(positionals[0])}`);
}
