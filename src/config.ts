import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { availableCores } from './control-groups.js';
import { ExplainedError } from './output/explained-error.js';
import { quote } from './output/printable.js';

const projectFile = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const text = z.string();
const port = wholeNumber(0, 65_535);

/** Variables of the clients, which may run in the same environment. */
const CLIENT_VARIABLES = ['NURSELOG_URL', 'NURSELOG_API_KEY'];

export const LARGEST_BATCH_SITES = 500;

export const ANY_ORIGIN = '*';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

function decimal(format: RegExp, rule: string, isAllowed: (value: number) => boolean) {
  const error = `must be ${rule}`;
  return z.string().regex(format, { error }).transform(Number).refine(isAllowed, { error });
}

/** A whole number from `min` to `max` in decimal digits. */
export function wholeNumber(min: number, max: number) {
  const rule = `a whole number from ${min} to ${max}`;
  return decimal(/^\d+$/, rule, (value) => value >= min && value <= max);
}

function oneOf<const Value extends string>(...values: Value[]) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

/** The parameters for TLS that pg reads; it ignores others, such as ssl_mode, and connects without TLS. */
const TLS_PARAMETERS = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'];

function hasKnownTlsParameters(url: string): boolean {
  const parameters = URL.canParse(url) ? [...new URL(url).searchParams] : [];
  const stated = parameters.filter(([name]) => /ssl/i.test(name));
  const isKnown = ([name, value]: string[]) => TLS_PARAMETERS.includes(name) && value !== '';
  return stated.every(isKnown) && new Map(stated).size === stated.length;
}

/** A URL with a list of hosts, which libpq takes and pg does not. Its password may have commas. */
const SEVERAL_HOSTS = /^[^/]*\/\/([^/]*@)?[^@/?]*,[^@]*$/;

/** Whether the characters of a URL that would end its password are encoded. Its host may be missing: a parameter may name a socket. */
const isEncoded = (url: string) =>
  /^([^#%]|%[\da-f]{2})+$/i.test(url) && URL.canParse(url.replace('@/', '@host/'));

/** Whether a text is an origin as browsers send it: scheme, host and, unless it is the scheme's default, port. */
const isOrigin = (text: string) =>
  /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** Origins separated by commas; `*` alone stands for any. */
const origins = z
  .string()
  .transform((list) => list.split(',').map((origin) => origin.trim()))
  .refine((list) => String(list) === ANY_ORIGIN || list.every(isOrigin), {
    error: 'must be * or origins separated by commas, such as https://maps.example.org',
  });

/** A field for every environment variable, named like it in camelCase. The description is shown by `--help` and in the README. */
const configSchema = z.object({
  host: text
    .default('127.0.0.1')
    .describe('Address or host name of the API. For a name, the first address is used.'),
  port: port.default(8080).describe('Port of the API; 0 chooses a free one.'),
  listen: oneOf('at-start', 'when-ready')
    .default('at-start')
    .describe(
      'When the API accepts connections. `at-start`: immediately, with 503 until it is ready. `when-ready`: once it is ready, so that a load balancer tries another replica until then.',
    ),
  opsHost: text
    .default('127.0.0.1')
    .describe("Address of the operators' endpoints `/livez`, `/readyz` and `/metrics`. Keep it private."),
  opsPort: port.default(9080).describe("Port of the operators' endpoints; 0 chooses a free one."),
  databaseUrl: z
    .string()
    // libsql would take a URL for a server to connect to.
    .regex(/^(sqlite:(?!\s|:memory:|[a-zA-Z][a-zA-Z0-9+.-]+:).*\S$|postgres(ql)?:\/\/.+)/, {
      error:
        'must be sqlite:<file> or postgres://…, <file> being a path, not a URL, without spaces around it',
    })
    .refine((url) => url.startsWith('sqlite:') || !SEVERAL_HOSTS.test(url), {
      error: 'must name one host: an address that always leads to the server that takes writes',
    })
    .refine((url) => url.startsWith('sqlite:') || isEncoded(url), {
      error: 'must be a URL: write / ? # and % of its password as %2F %3F %23 and %25, or set PGPASSWORD',
    })
    .refine((url) => url.startsWith('sqlite:') || hasKnownTlsParameters(url), {
      error:
        'must spell parameters for TLS as sslmode, sslrootcert, sslcert and sslkey, each once with a value: others are ignored',
    })
    .default('sqlite:var/nurselog.db')
    .describe('Store of API keys and request counts: `sqlite:<file>` or `postgres://…`.'),
  corsOrigins: origins
    .default([])
    .describe(
      'Origins whose pages may call the API from a browser, separated by commas. `*` allows any. By default, none.',
    ),
  explorer: oneOf('on', 'off').default('on').describe("`off` removes the planner's page at `/`."),
  mapStyleUrl: text
    .refine((url) => /^https?:/i.test(url) && URL.canParse(url), {
      error: 'must be the URL of a style, such as https://tiles.example.org/style.json',
    })
    .optional()
    .describe(
      'URL of a MapLibre style that the page shows below its own layers. Its tiles, fonts and icons must have the same origin. By default, the page contacts no other host.',
    ),
  workers: wholeNumber(1, 256)
    .default(() => availableCores())
    .describe('Worker threads. By default, the available cores, within the CPU quota of a container.'),
  queueLimitSites: wholeNumber(LARGEST_BATCH_SITES, 10_000_000)
    .default(20_000)
    .describe(
      'Maximum number of waiting sites over all requests. Requests beyond it get 503 `overloaded`. Once an eighth of it is waiting, batches that are still arriving count, too.',
    ),
  // With 32 GiB, the share of a single thread exceeds the 2^32 elements that V8 allows in a typed array in Node 20.
  cacheBytes: wholeNumber(0, 16 * 1024 * 1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe('Memory for cached predictions, shared by all threads, at most 16 GiB. 0 turns the cache off.'),
  singleSites: oneOf('main', 'workers')
    .default('main')
    .describe(
      'Where single predictions, comparisons and rankings run: `main` (main thread, fastest if the models take well under a millisecond) or `workers` (for slow models).',
    ),
  requestTimeoutMs: wholeNumber(100, 600_000)
    .default(10_000)
    .describe(
      'Timeout of a request, from its arrival. The request then gets 503, or 408 if it was not fully received.',
    ),
  bodyLimitBytes: wholeNumber(1024, 64 * 1024 * 1024)
    .default(1024 * 1024)
    .describe('Maximum size of a request body, except for tables and plans of tier hypha.'),
  tableLimitRows: wholeNumber(LARGEST_BATCH_SITES, 10_000_000)
    .default(200_000)
    .describe('Maximum number of rows of a table for tier hypha.'),
  tableLimitBytes: wholeNumber(1024, 256 * 1024 * 1024)
    .default(32 * 1024 * 1024)
    .describe('Maximum size of the body of a table for tier hypha, compressed or not.'),
  tableMemoryBytes: wholeNumber(1024, 64 * 1024 * 1024 * 1024)
    .default(1024 * 1024 * 1024)
    .describe(
      'Memory for all tables and, until they are sent, all responses of 16 KiB and more except surfaces. One key gets at most half, unless its first request takes more. Requests beyond it get 503 `overloaded`.',
    ),
  planLimitBytes: wholeNumber(1024, 64 * 1024 * 1024)
    .default(8 * 1024 * 1024)
    .describe('Maximum size of a plan for tier hypha. Other tiers have at most `BODY_LIMIT_BYTES`.'),
  connectionLimit: wholeNumber(1, 1_000_000)
    .default(4096)
    .describe(
      'Maximum number of open connections, lower if the limit on open files is lower. Beyond it, idle ones are closed, then the oldest that is sending a response to a caller without a key.',
    ),
  searchRadiusKm: decimal(
    /^\d+(\.\d+)?$/,
    'a number of kilometres above 0, at most 100',
    (value) => value > 0 && value <= 100,
  )
    .default(0.8)
    .describe('Maximum distance to the nearest data point.'),
  dataDir: text
    .default(projectFile('data'))
    .describe("Folder of the grid, regions and species. By default, the project's `data`."),
  modelDir: text
    .default(projectFile('models'))
    .describe("Folder of the models. By default, the project's `models`."),
  logLevel: oneOf(...LOG_LEVELS)
    .default('info')
    .describe(`Lowest level that is logged: ${LOG_LEVELS.join(', ')}.`),
  drainDelayMs: wholeNumber(0, 600_000)
    .default(0)
    .describe('Time after SIGTERM in which the service accepts requests although it is not ready.'),
  shutdownTimeoutMs: wholeNumber(100, 600_000)
    .default(15_000)
    .describe('Time after the drain delay for requests in progress to finish. Then the process ends anyway.'),
});

export type Config = Readonly<z.output<typeof configSchema>>;

const fields = Object.keys(configSchema.shape);
const variableOf = (field: string) => field.replaceAll(/[A-Z]/g, '_$&').toUpperCase();

/** The value of a variable. A blank one counts as not set, except DATABASE_URL: its default is an empty store. */
function valueIn(environment: NodeJS.ProcessEnv, field: string): string | undefined {
  const value = environment[variableOf(field)];
  return value?.trim() === '' && field !== 'databaseUrl' ? undefined : value;
}

/**
 * Reads the configuration from environment variables.
 * @throws ExplainedError that names the variable: for an invalid value, and for an unknown name that starts with NURSELOG_
 */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith('NURSELOG_') && !CLIENT_VARIABLES.includes(name),
  );
  if (unknown !== undefined) {
    const names = fields.map(variableOf).join(', ');
    throw new ExplainedError(`${quote(unknown)} is not a variable of nurselog, which has: ${names}`);
  }
  const given = Object.fromEntries(fields.map((field) => [field, valueIn(environment, field)]));
  const parsed = configSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  const field = String(path[0]);
  const value = field === 'databaseUrl' && given[field] !== '' ? '…' : (given[field] ?? '');
  throw new ExplainedError(`${variableOf(field)} ${message}, not ${quote(value)}`);
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
  const isMachineBound = (field: string) => ['workers', 'dataDir', 'modelDir'].includes(field);
  return Object.entries(configSchema.shape).map(([field, schema]) => ({
    name: variableOf(field),
    defaultValue: isMachineBound(field) ? '' : String(schema.safeParse(undefined).data ?? ''),
    meaning: schema.description ?? '',
  }));
}
