import { parseArgs } from 'node:util';
import type { Clock } from '../accounts/clock.js';
import { KeyAdministration, KeyAdministrationError } from '../accounts/key-administration.js';
import { redactKeys } from '../accounts/key-format.js';
import { openStore } from '../accounts/store/open-store.js';
import { StoreOpenError, StoreUnavailableError } from '../accounts/store/store-errors.js';
import { ConfigError, loadConfig } from '../config.js';
import { KEYS_COMMANDS } from './keys-commands.js';
import { UsageError } from './usage-error.js';

/** What a command leaves behind: 0 for done, 1 for refused or failed, 2 for a command line that makes no sense. */
export interface CliResult {
  readonly exitCode: 0 | 1 | 2;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Carries out one `keys` command line.
 *
 * @param args what follows `keys`
 * @param environment where DATABASE_URL is read from
 */
export async function runKeys(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  clock: Clock,
): Promise<CliResult> {
  try {
    return { exitCode: 0, stdout: `${await answer(args, environment, clock)}\n`, stderr: '' };
  } catch (error) {
    if (!isExpected(error)) throw error;
    const stderr = `keys: ${redactKeys(error.message)}\n`;
    return error instanceof UsageError
      ? { exitCode: 2, stdout: '', stderr: `${stderr}"keys --help" shows how it is used.\n` }
      : { exitCode: 1, stdout: '', stderr };
  }
}

async function answer(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  clock: Clock,
): Promise<string> {
  const [name, ...rest] = args;
  if (args.includes('--help') || args.includes('-h')) return help();
  if (name === undefined || !Object.hasOwn(KEYS_COMMANDS, name)) {
    const given = name === undefined ? 'no command was given' : `"${name}" is not a command`;
    throw new UsageError(`${given}; the commands are ${Object.keys(KEYS_COMMANDS).join(', ')}`);
  }
  const command = KEYS_COMMANDS[name];
  const { values, positionals } = parse(rest, command.options);
  const { json, ...options } = values;
  const store = await openStore(loadConfig(environment).databaseUrl);
  try {
    const administration = new KeyAdministration(store, clock);
    const output = await command.run(
      administration,
      options as Record<string, string | undefined>,
      positionals,
    );
    return json ? JSON.stringify(output.json) : output.text;
  } finally {
    await store.close();
  }
}

function parse(args: string[], options: (typeof KEYS_COMMANDS)[string]['options']) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { ...options, json: { type: 'boolean' } } });
  } catch (error) {
    // parseArgs says what is wrong in its first sentence, then goes on about escaping.
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
}

function help(): string {
  const commands = Object.entries(KEYS_COMMANDS).map(
    ([name, { synopsis, does }]) => `  ${`${name} ${synopsis}`.trimEnd()}\n      ${does}`,
  );
  return [
    'Usage: npm run --silent keys -- COMMAND [--json]',
    '',
    'Administers the API keys in the store that DATABASE_URL names.',
    '',
    ...commands,
    '',
    'Every command takes --json and then prints one line of JSON. A running service takes a change up within 5 seconds.',
  ].join('\n');
}

function isExpected(error: unknown): error is Error {
  return [UsageError, ConfigError, StoreOpenError, StoreUnavailableError, KeyAdministrationError].some(
    (kind) => error instanceof kind,
  );
}
