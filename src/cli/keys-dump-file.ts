import { readFileSync, statSync } from 'node:fs';
import { type AccountDump, accountDump } from '../accounts/store/account-dump.js';
import { quote, shorten } from '../output/printable.js';
import { UsageError } from './usage-error.js';

/** What the one file named on the command line holds, as `keys export` wrote it. */
export function readDump(positionals: readonly string[]): AccountDump {
  if (positionals.length !== 1) {
    throw new UsageError(`one FILE is needed, written by "keys export"; ${positionals.length} were given`);
  }
  const [file] = positionals;
  const dump = accountDump.safeParse(readJson(file));
  if (dump.success) return dump.data;
  const [{ path, message }] = dump.error.issues;
  throw new UsageError(
    `${quote(file)} is not what "keys export" writes: ${path.join('.') || 'all of it'}: ${message}`,
  );
}

function readJson(file: string): unknown {
  try {
    const stat = statSync(file);
    // A device such as /dev/zero has no end.
    if (!stat.isFile() && !stat.isFIFO()) throw new Error('it is no file');
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${quote(file)} cannot be read as JSON: ${shorten((error as Error).message)}`);
  }
}
