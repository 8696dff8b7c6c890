import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { LARGEST_BATCH_SITES } from './accounts/tiers.js';
import { printable, quote, shorten } from './output/printable.js';

const projectFile = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const text = z.string().min(1);
const port = wholeNumber(0, 65_535);

/** Variables of the clients, which may run in the same environment. */
const CLIENT_VARIABLES = ['NURSELOG_URL', 'NURSELOG_API_KEY'];

const SINGLE_SITES = ['main', 'workers'] as const;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** A whole number in decimal digits. */
function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, { error })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
}

/** Every environment variable. Its description is shown by `--help` and in the README. */
const environmentSchema = z.object({
  HOST: text.default('127.0.0.1').describe('Address of the API.'),
  PORT: port.default(8080).describe('Port of the API; 0 takes a free one.'),
  OPS_HOST: text
    .default('127.0.0.1')
    .describe("Address of the operators' endpoints, `/livez`, `/readyz` and `/metrics`: keep it private."),
  OPS_PORT: port.default(9080).describe("Port of the operators' endpoints; 0 takes a free one."),
  DATABASE_URL: text
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)/, { error: 'must be sqlite:<file> or postgres://…' })
    // libsql would take a URL for a server to connect to.
    .refine((url) => !/^sqlite:\s*[a-z][a-z0-9+.-]+:/i.test(url), {
      error: 'must be sqlite:<file> or postgres://…, and what follows sqlite: a path, not a URL',
    })
    .default('sqlite:var/nurselog.db')
    .describe('Keys and quota: `sqlite:<file>` or `postgres://…`.'),
  WORKERS: wholeNumber(1, 256)
    .default(() => availableParallelism())
    .describe('Worker threads; by default the available cores.'),
  QUEUE_LIMIT_SITES: wholeNumber(LARGEST_BATCH_SITES, 10_000_000)
    .default(20_000)
    .describe(
      'Sites that may wait for an answer, whatever the size of the requests; beyond it requests get 503 `overloaded`.',
    ),
  // With 64 GiB, one thread's part could exceed the number of elements that V8 allows in a typed array.
  CACHE_BYTES: wholeNumber(0, 32 * 1024 * 1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe('Memory for cached predictions, shared among the threads; 0 turns the cache off.'),
  SINGLE_SITES: z
    .enum(SINGLE_SITES, { error: `must be one of ${SINGLE_SITES.join(', ')}` })
    .default('main')
    .describe(
      'Where single predictions and comparisons are answered: `main` (main thread, quickest while models take well under a millisecond) or `workers` (slow models).',
    ),
  REQUEST_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(10_000)
    .describe(
      'How long after its arrival a request may still be answered; then it gets 503 (or 408 if it was not received by then).',
    ),
  BODY_LIMIT_BYTES: wholeNumber(1024, 64 * 1024 * 1024)
    .default(1024 * 1024)
    .describe('Largest request body.'),
  CONNECTION_LIMIT: wholeNumber(1, 1_000_000)
    .default(4096)
    .describe(
      'Connections that may be open, fewer if the limit of open files is lower; beyond it idle ones are closed.',
    ),
  SEARCH_RADIUS_KM: z
    .string()
    .regex(/^\d+(\.\d+)?$/, { error: 'must be a number of kilometres above 0, at most 100' })
    .transform(Number)
    .refine((value) => value > 0 && value <= 100, {
      error: 'must be a number of kilometres above 0, at most 100',
    })
    .default(5)
    .describe('How far the nearest data point may be.'),
  DATA_DIR: text
    .default(projectFile('data'))
    .describe("Folder of the grid, regions and species; by default the project's `data`."),
  MODEL_DIR: text
    .default(projectFile('models'))
    .describe("Folder of the models; by default the project's `models`."),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` })
    .default('info')
    .describe(`Lowest level that is logged: ${LOG_LEVELS.join(', ')}.`),
  DRAIN_DELAY_MS: wholeNumber(0, 600_000)
    .default(0)
    .describe('How long after SIGTERM requests are still accepted, while readiness is already off.'),
  SHUTDOWN_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(15_000)
    .describe('How long after the drain delay requests in flight may take before the process ends anyway.'),
});

type Environment = z.output<typeof environmentSchema>;

/** The configuration of the process, each variable under its name in camelCase. */
export type Config = { readonly [Name in keyof Environment as CamelCase<Name>]: Environment[Name] };

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;

/** A variable with an invalid value. The message names it and says what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the configuration from environment variables. An empty variable counts as not set.
 * @throws ConfigError for an invalid value, and for a variable that starts with NURSELOG_ and is none of the clients'
 */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  const names = Object.keys(environmentSchema.shape);
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith('NURSELOG_') && !CLIENT_VARIABLES.includes(name),
  );
  if (unknown !== undefined) {
    throw new ConfigError(
      `${printable(shorten(unknown))} is not a variable of nurselog, which has: ${names.join(', ')}`,
    );
  }
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = environmentSchema.safeParse(given);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0];
    const name = String(path[0]);
    throw new ConfigError(
      `${name} ${message}, not ${quote(name === 'DATABASE_URL' ? '…' : (given[name] ?? ''))}`,
    );
  }
  const camelCase = (name: string) =>
    name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(parsed.data).map(([name, value]) => [camelCase(name), value]),
  ) as Config;
}

/** The variables as plain text for the command line. */
export function configHelp(): string {
  const entries = describeVariables().map(
    ({ name, defaultValue, meaning }) =>
      `  ${name}${defaultValue === '' ? '' : `=${defaultValue}`}\n      ${meaning.replaceAll('`', '')}\n`,
  );
  return `Usage: npm start

Starts the service. It is configured by environment variables, shown here with their defaults:

${entries.join('')}`;
}

/** All variables. The default is empty where it differs between machines; then the meaning describes it. */
export function describeVariables(): { name: string; defaultValue: string; meaning: string }[] {
  const isMachineBound = (name: string) => ['WORKERS', 'DATA_DIR', 'MODEL_DIR'].includes(name);
  return Object.entries(environmentSchema.shape).map(([name, schema]) => ({
    name,
    defaultValue: isMachineBound(name) ? '' : String(schema.safeParse(undefined).data),
    meaning: schema.description ?? '',
  }));
}
