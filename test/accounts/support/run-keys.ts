import { commandFailure } from '../../../src/cli/command-line.js';
import { runKeys } from '../../../src/cli/run-keys.js';
import { SettableClock } from './settable-clock.js';

/** A whole key, anywhere in a text. */
export const KEY = /nurse_live_[0-9a-f]{32}/g;

/** The time at which every command of a test file runs. */
export const clock = new SettableClock('2026-11-20T12:00:00Z');

/** Runs `keys` command lines, split at spaces, on one store. */
export const keysOn = (databaseUrl: string) => (line: string) =>
  runArguments(databaseUrl, line === '' ? [] : line.split(' '));

/** Runs a `keys` command on a store. */
export async function runArguments(databaseUrl: string, args: string[]) {
  let stdout = '';
  const write = (text: string) => {
    stdout += text;
  };
  const notes: string[] = [];
  const note = (text: string) => notes.push(text);
  const result = await runKeys(args, { DATABASE_URL: databaseUrl }, clock.nowMs, write, write, note).then(
    () => ({ exitCode: 0, stderr: '' }),
    (error: unknown) => commandFailure('keys', error),
  );
  return { ...result, stdout, stderr: notes.join('') + result.stderr };
}

/** What a command printed with `--json`. */
export const json = (result: { stdout: string }) => JSON.parse(result.stdout);
