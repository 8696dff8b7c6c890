import { readFileSync, statSync } from 'node:fs';
import { type AccountDump, accountDump } from '../accounts/store/account-dump.js';
import { quote, shorten } from '../output/printable.js';
import { UsageError } from './command-line.js';

/** The content of the only positional argument, a file written by `keys export`. */
export function readDump(positionals: readonly string[]): AccountDump {
  if (positionals.length !== 1) {
    throw new UsageError(`expected one FILE written by "keys export", not ${positionals.length}`);
  }
  const [file] = positionals;
  const dump = accountDump.safeParse(readJson(file));
  if (dump.success) return dump.data;
  const [{ path, message }] = dump.error.issues;
  throw new UsageError(
    `${quote(file)} is not a file of "keys export": ${path.join('.') || 'content'}: ${message}`,
  );
}

function readJson(file: string): unknown {
  try {
    const stat = statSync(file);
    // A device such as /dev/zero has no end.
    if (!stat.isFile() && !stat.isFIFO()) throw new Error('it is not a file');
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${quote(file)} cannot be read as JSON: ${shorten((error as Error).message)}`);
  }
}
