import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { LARGEST_BATCH_SITES } from './accounts/tiers.js';
import { printable, quote, shorten } from './output/printable.js';

const projectFile = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const text = z.string().min(1);
const port = wholeNumber(0, 65_535);

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** An environment variable's whole number. */
function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, { error })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
}

/** Every environment variable: its description is its help and its line in the README. Defaults are as written there. */
const environmentSchema = z.object({
  HOST: text.default('127.0.0.1').describe('Address of the API.'),
  PORT: port.default(8080).describe('Port of the API; 0 takes a free one.'),
  OPS_HOST: text
    .default('127.0.0.1')
    .describe('Address of `/livez`, `/readyz` and `/metrics`: keep it private.'),
  OPS_PORT: port.default(9080).describe('Port of the same; 0 takes a free one.'),
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
      'Sites that may wait, of batches and as many single ones; beyond it requests get 503 `overloaded`.',
    ),
  // Of 64 GiB, one thread could have more two-byte numbers than V8 takes in an array.
  CACHE_BYTES: wholeNumber(0, 32 * 1024 * 1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe(
      'Memory for what was worked out for sites that may recur, shared out among the threads; 0 keeps none.',
    ),
  SINGLE_SITES: z
    .enum(['main', 'workers'], { error: 'must be main or workers' })
    .default('main')
    .describe(
      'Where single predictions and comparisons are answered: `main`, the main thread, is quickest; `workers` is for slow models.',
    ),
  REQUEST_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(10_000)
    .describe('A request not received by then, and a batch not answered by then, is given up.'),
  BODY_LIMIT_BYTES: wholeNumber(1024, 64 * 1024 * 1024)
    .default(1024 * 1024)
    .describe('Largest request body.'),
  CONNECTION_LIMIT: wholeNumber(1, 1_000_000)
    .default(4096)
    .describe(
      'Connections of callers that may be open, fewer where the process may not open so many files; beyond it idle ones are closed.',
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
    .describe(`Least level that is logged: ${LOG_LEVELS.join(', ')}.`),
  DRAIN_DELAY_MS: wholeNumber(0, 600_000)
    .default(0)
    .describe('After SIGTERM: how long requests are still taken while readiness is already off.'),
  SHUTDOWN_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(15_000)
    .describe('After the drain delay: how long requests in flight may take before the process ends anyway.'),
});

type Environment = z.output<typeof environmentSchema>;

/** The configuration of the process, each variable under its name in camelCase. */
export type Config = { readonly [Name in keyof Environment as CamelCase<Name>]: Environment[Name] };

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;

/** A variable with a value that cannot be. The message names it and says what would be right. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the configuration from environment variables. An empty variable counts as not set.
 * @throws ConfigError for a bad value and for an unknown variable that starts with NURSELOG_.
 */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  const names = Object.keys(environmentSchema.shape);
  const unknown = Object.keys(environment).find((name) => name.startsWith('NURSELOG_'));
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
    throw new ConfigError(`${name} ${message}, not ${quote(name === 'DATABASE_URL' ? '…' : given[name]!)}`);
  }
  const camelCase = (name: string) =>
    name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(parsed.data).map(([name, value]) => [camelCase(name), value]),
  ) as Config;
}

/** The variables as the README's table: name, default, meaning. */
export function configTable(): string {
  const rows = Object.entries(environmentSchema.shape).map(([name, schema]) => {
    const value = schema.safeParse(undefined).data;
    // Defaults that differ between machines are told in words.
    const machineBound = ['WORKERS', 'DATA_DIR', 'MODEL_DIR'].includes(name);
    return `| \`${name}\` | ${machineBound ? '' : `\`${value}\``} | ${schema.description} |`;
  });
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}
