import type { Clock } from '../accounts/clock.js';
import { KeyAdministration } from '../accounts/key-administration.js';
import { openStore } from '../accounts/store/open-store.js';
import { loadConfig } from '../config.js';
import { printable, quote } from '../output/printable.js';
import { OutputError } from '../output/write-output.js';
import { failureOf } from './failure.js';
import { KEYS_COMMANDS, type KeysCommand } from './keys-commands.js';
import type { Output } from './keys-output.js';
import { parseOptions } from './parse-options.js';
import { UsageError } from './usage-error.js';

/** How a command ended: 0 for done, 1 for refused or failed, 2 for a command line that makes no sense. */
export interface CliResult {
  readonly exitCode: 0 | 1 | 2;
  readonly stderr: string;
}

/**
 * Carries out one `keys` command line.
 *
 * @param args what follows `keys`
 * @param environment where DATABASE_URL is read from
 * @param write writes to standard output and throws OutputError where that takes not all
 * @param writeSecret the same for a key, which is not issued where it is not seen
 */
export async function runKeys(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  clock: Clock,
  write: (text: string) => void,
  writeSecret: (text: string) => void,
): Promise<CliResult> {
  try {
    const [name, ...rest] = args;
    if (args.includes('--help') || args.includes('-h')) write(help());
    else await carryOut(commandNamed(name), rest, environment, clock, write, writeSecret);
    return { exitCode: 0, stderr: '' };
  } catch (error) {
    return failureOf('keys', error);
  }
}

function commandNamed(name: string | undefined): KeysCommand {
  if (name !== undefined && Object.hasOwn(KEYS_COMMANDS, name)) return KEYS_COMMANDS[name];
  const given = name === undefined ? 'no command was given' : `${quote(name)} is not a command`;
  throw new UsageError(`${given}; the commands are ${Object.keys(KEYS_COMMANDS).join(', ')}`);
}

async function carryOut(
  command: KeysCommand,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  clock: Clock,
  write: (text: string) => void,
  writeSecret: (text: string) => void,
): Promise<void> {
  const { values, positionals } = parseOptions(args, { ...command.options, json: { type: 'boolean' } });
  const { json, ...options } = values;
  const store = await openStore(loadConfig(environment).databaseUrl);
  let isPrinted = false;
  try {
    const print = (output: Output) => {
      const show = output.isSecret ? writeSecret : write;
      show(json ? jsonText(output) : text(output));
      isPrinted = true;
    };
    const administration = new KeyAdministration(store, clock);
    await command.run(administration, options as Record<string, string | undefined>, positionals, print);
  } catch (error) {
    // What failed first is what matters.
    await store.close().catch(() => {});
    if (error instanceof OutputError) throw new OutputError(`${error.message}: ${command.ifUnprinted}`);
    // The store did not take what was printed before it was committed.
    if (isPrinted) throw new Error(`${(error as Error).message}; do not use the key that was printed`);
    throw error;
  }
  await store.close();
}

/** Lines for people; what their terminal would act on is escaped, whoever put it into the store. */
function text({ lines }: Output): string {
  return `${lines.map(printable).join('\n')}\n`;
}

/** One line of JSON, with the same characters escaped. */
function jsonText({ json }: Output): string {
  return `${printable(JSON.stringify(json))}\n`;
}

function help(): string {
  const commands = Object.entries(KEYS_COMMANDS).map(
    ([name, { synopsis, does }]) => `  ${`${name} ${synopsis}`.trimEnd()}\n      ${does}\n`,
  );
  return `Usage: npm run --silent keys -- COMMAND [--json]

Administers the API keys in the store that DATABASE_URL names.

${commands.join('')}
Every command takes --json and then prints one line of JSON. A running service takes a change up within 5 seconds.
`;
}
