import { type ParseArgsConfig, parseArgs } from 'node:util';
import { shorten } from '../output/printable.js';
import { UsageError } from './usage-error.js';

/**
 * Splits what follows a command into options and positionals.
 * @throws UsageError
 */
export function parseOptions<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    // parseArgs says what is wrong in its first sentence, then explains how to escape.
    throw new UsageError(shorten((error as Error).message.split(/\.\s/, 1)[0]));
  }
}
