import { type ParseArgsConfig, parseArgs } from 'node:util';
import { oneLine, quote, redactKeys, shorten } from '../output/printable.js';
import { writeError } from '../output/write-output.js';

/** An invalid command line; the message names the value and what is allowed. */
export class UsageError extends Error {}

/** Runs the command of this process. One that fails sets the exit code and is reported on standard error. */
export async function runMain(command: 'keys' | 'models', main: (args: string[]) => Promise<void>) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    const { exitCode, stderr } = commandFailure(command, error);
    writeError(stderr);
    process.exitCode = exitCode;
  }
}

/** Exit code 1 and one line for an error; 2 and a hint at the help for an invalid command line. */
export function commandFailure(command: 'keys' | 'models', error: unknown) {
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

/** Refuses an unknown command. @param known the known ones, as in "commands are issue, list" @throws UsageError */
export function refuseCommand(name: string | undefined, known: string): never {
  const given = name === undefined ? 'no command was given' : `${quote(name)} is not a command`;
  throw new UsageError(`${given}; the ${known}`);
}

/** @throws UsageError if there is any positional argument */
export function refusePositionals(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError(`unexpected argument ${quote(positionals[0])}`);
}
