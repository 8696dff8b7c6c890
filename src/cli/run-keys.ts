import { existsSync } from 'node:fs';
import { z } from 'zod';
import { fileOf, openStore } from '../accounts/store/account-store.js';
import { KeyAdministration } from '../accounts/store/key-administration.js';
import { loadConfig } from '../config.js';
import { printable, quote } from '../output/printable.js';
import { OutputError } from '../output/write-output.js';
import { parseOptions, refuseCommand, refusePositionals, UsageError } from './command-line.js';
import { KEYS_COMMANDS, type Print } from './keys-commands.js';

/**
 * Runs one `keys` command.
 * @param writeSecret writes a key, which is issued only if it was written
 * @throws UsageError for an invalid command line, and any error of the command or its store
 */
export async function runKeys(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  nowMs: () => number,
  write: (text: string) => void,
  writeSecret: (text: string) => void,
  writeNote: (text: string) => void,
): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return write(help());
  const [name, ...rest] = args;
  const names = Object.keys(KEYS_COMMANDS);
  if (!names.includes(name)) refuseCommand(name, `commands are ${names.join(', ')}`);
  const command = KEYS_COMMANDS[name];
  const { json, values } = parseArguments(rest, command.schema);
  const { databaseUrl } = loadConfig(environment);
  const file = fileOf(databaseUrl);
  if (command.createsStore && file !== undefined && !existsSync(file))
    writeNote(`keys: creating the key store ${printable(file)}\n`);
  const store = await openStore(databaseUrl, command.createsStore ? undefined : 'exist');
  let isPrinted = false;
  const print: Print = (value, lines) => {
    const shown = json ? [JSON.stringify(value)] : lines;
    (command.printsSecret ? writeSecret : write)(`${shown.map(printable).join('\n')}\n`);
    isPrinted = true;
  };
  try {
    await command.run(new KeyAdministration(store, nowMs), values, print);
  } catch (error) {
    await store.close().catch(() => {}); // the first error is the one to report
    if (error instanceof OutputError) throw new OutputError(`${error.message}: ${command.ifUnprinted}`);
    // The key was printed, and then the commit failed.
    if (isPrinted) throw new Error(`${(error as Error).message}; do not use the key that was printed`);
    throw error;
  }
  await store.close();
}

/**
 * Parses the arguments of a command, which may also have `--json`.
 * @param schema of the options by name, and of at most one operand, whose name is in capitals
 * @throws UsageError naming the option or operand
 */
function parseArguments<Shape extends z.ZodRawShape>(args: readonly string[], schema: Shape) {
  const names = Object.keys(schema);
  const operands = names.filter(isOperand);
  const options = names.filter((name) => !isOperand(name));
  // parseArgs refuses a value that is missing or begins with a dash without saying what is allowed.
  for (const name of options) {
    const [option, value = ''] = args.slice(args.indexOf(`--${name}`));
    if (option === `--${name}` && /^(-|$)/.test(value)) check({ [name]: schema[name] }, { [name]: value });
  }
  const { values, positionals } = parseOptions(args, {
    ...Object.fromEntries(options.map((name) => [name, { type: 'string' }] as const)),
    json: { type: 'boolean' },
  });
  refusePositionals(positionals.slice(operands.length));
  const { json = false, ...given }: Record<string, unknown> = values;
  for (const name of operands) given[name] = positionals[0];
  return { json: json === true, values: check(schema, given) };
}

const isOperand = (name: string) => name === name.toUpperCase();

/** The values of options and operands. @throws UsageError naming the option or operand */
function check<Shape extends z.ZodRawShape>(schema: Shape, given: Record<string, unknown>) {
  const parsed = z.object(schema).safeParse(given);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  const name = String(path[0]);
  const notGiven = given[name] === undefined ? '' : `, not ${quote(String(given[name]))}`;
  throw new UsageError(`${isOperand(name) ? '' : '--'}${name} ${message}${notGiven}`);
}

function help(): string {
  const commands = Object.entries(KEYS_COMMANDS).map(
    ([name, { synopsis, description }]) => `  ${`${name} ${synopsis}`.trimEnd()}\n      ${description}\n`,
  );
  return `Usage: npm run --silent keys -- COMMAND [--json]

Manages the API keys in the store at DATABASE_URL.

${commands.join('')}
With --json, a command prints one line of JSON. A running service applies changes within 5 seconds.
`;
}
