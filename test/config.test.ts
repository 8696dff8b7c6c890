import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { configHelp, describeVariables, loadConfig } from '../src/config.js';
import { availableCores, memoryLimitBytes } from '../src/control-groups.js';
import { ExplainedError } from '../src/output/explained-error.js';
import { checkMemoryLimit } from '../src/service/resource-limits.js';
import { forAll } from './support/for-all.js';
import { temporaryFolder } from './support/service-process.js';

/** Each variable with a valid value, the result of reading it, and values that are refused. */
const VARIABLES: readonly (readonly [
  name: string,
  given: string,
  read: string | number | readonly string[],
  bad: readonly string[],
])[] = [
  ['HOST', '::', '::', []],
  ['PORT', '0', 0, ['65536', '-1', '80.5', 'http', '0x50', ' 80', '1e3']],
  ['OPS_HOST', '10.0.0.1', '10.0.0.1', []],
  ['OPS_PORT', '65535', 65_535, ['65536', 'NaN']],
  [
    'DATABASE_URL',
    'postgres://user@db/keys',
    'postgres://user@db/keys',
    [
      '',
      'mysql://db',
      'sqlite:',
      'keys.db',
      'postgres',
      'sqlite:http://127.0.0.1:1/keys.db',
      'sqlite:HTTPS://db',
      'sqlite:libsql://db',
      'sqlite:ws://db',
      'sqlite:wss://db',
      'sqlite:file:keys.db',
      'sqlite: http://db',
    ],
  ],
  [
    'CORS_ORIGINS',
    'https://maps.example.org, http://localhost:5173',
    ['https://maps.example.org', 'http://localhost:5173'],
    [
      'maps.example.org',
      'https://maps.example.org/',
      'https://Maps.example.org',
      'https://maps.example.org:443',
      'https://*.example.org',
      '*,https://maps.example.org',
      'null',
      'https://a.org;https://b.org',
      'https://a.org,',
    ],
  ],
  ['LISTEN', 'when-ready', 'when-ready', ['ready', 'At-start', '0']],
  ['EXPLORER', 'off', 'off', ['false', 'On', '0']],
  [
    'MAP_STYLE_URL',
    'https://tiles.example.org/style.json',
    'https://tiles.example.org/style.json',
    ['tiles.example.org/style.json', '/style.json', 'file:///style.json', 'javascript:alert(1)', 'https://'],
  ],
  ['WORKERS', '3', 3, ['0', '257', 'two', '1.5']],
  ['CACHE_BYTES', '0', 0, ['-1', '64MB', '17179869185']],
  ['SINGLE_SITES', 'workers', 'workers', ['thread', 'MAIN', 'main,workers']],
  ['QUEUE_LIMIT_SITES', '500', 500, ['499', '10000001', 'many']],
  ['REQUEST_TIMEOUT_MS', '100', 100, ['99', '600001', '10s']],
  ['BODY_LIMIT_BYTES', '1024', 1024, ['1023', '1MiB', '67108865']],
  ['TABLE_LIMIT_ROWS', '500', 500, ['499', '10000001', 'all']],
  ['TABLE_LIMIT_BYTES', '1024', 1024, ['1023', '268435457', '32MiB']],
  ['TABLE_MEMORY_BYTES', '1024', 1024, ['1023', '68719476737', '1GiB']],
  ['PLAN_LIMIT_BYTES', '67108864', 67_108_864, ['1023', '8MiB', '67108865']],
  ['CONNECTION_LIMIT', '10', 10, ['0', '1000001', 'all']],
  ['SEARCH_RADIUS_KM', '2.5', 2.5, ['0', '100.1', '-5', '5km', 'NaN', '1e1']],
  ['DATA_DIR', 'elsewhere', 'elsewhere', []],
  ['MODEL_DIR', '../models', '../models', []],
  ['LOG_LEVEL', 'silent', 'silent', ['loud', 'INFO']],
  ['DRAIN_DELAY_MS', '600000', 600_000, ['600001', '-1']],
  ['SHUTDOWN_TIMEOUT_MS', '100', 100, ['99', 'never']],
];
const variables = VARIABLES.map(([name, given, read, bad]) => {
  const field = name.toLowerCase().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return { name, field, given, read, bad };
});
const fieldOf = (environment: NodeJS.ProcessEnv, field: string) =>
  Object.entries(loadConfig(environment)).find(([name]) => name === field)?.[1];

test('every variable of the configuration is tested here', () => {
  expect(variables.map(({ field }) => field).sort()).toEqual(Object.keys(loadConfig({})).sort());
});

test('the defaults are those that the interface states', () => {
  expect(loadConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    databaseUrl: 'sqlite:var/nurselog.db',
    corsOrigins: [],
    explorer: 'on',
    workers: availableCores(),
    bodyLimitBytes: 1_048_576,
    tableLimitRows: 200_000,
    tableLimitBytes: 32 * 2 ** 20,
    planLimitBytes: 8 * 2 ** 20,
    searchRadiusKm: 0.8,
  });
});

test.each(variables)('$name is read', ({ name, field, given, read }) => {
  expect(fieldOf({ [name]: given }, field)).toEqual(read);
});

test.each(variables.filter(({ name }) => name !== 'DATABASE_URL'))(
  'an empty or blank $name counts as not set',
  ({ name, field }) => {
    for (const blank of ['', ' ']) expect(fieldOf({ [name]: blank }, field)).toEqual(fieldOf({}, field));
  },
);

test.each(variables.flatMap(({ name, bad }) => bad.map((value) => ({ name, value }))))(
  '$name "$value" is refused by the name of the variable',
  ({ name, value }) => {
    const attempt = () => loadConfig({ [name]: value });
    expect(attempt).toThrow(ExplainedError);
    expect(attempt).toThrow(new RegExp(`^${name} `));
  },
);

test('the message shows the invalid value, but never a database URL, which may contain a password', () => {
  expect(() => loadConfig({ WORKERS: 'two' })).toThrow('"two"');
  const attempt = () => loadConfig({ DATABASE_URL: 'mysql://root:secret@db/keys' });
  expect(attempt).toThrow(ExplainedError);
  expect(attempt).not.toThrow('secret');
  expect(() => loadConfig({ DATABASE_URL: 'sqlite:https://root:secret@db' })).not.toThrow('secret');
});

test('the message shows an invalid value on one line, escaped and cut to its start', () => {
  expect(() => loadConfig({ WORKERS: '2\n\u001b[31m\u009b\u202e' })).toThrow(
    'not "2\\u000a\\u001b[31m\\u009b\\u202e"',
  );
  expect(() => loadConfig({ WORKERS: 'x'.repeat(100_000) })).toThrow(/x{100}… \(100000 characters\)"$/);
  expect(() => loadConfig({ [`NURSELOG_${'X'.repeat(10_000)}`]: '1' })).toThrow(/^.{1,1000}$/);
});

test.each(['sqlite::memory:', 'sqlite: ', 'sqlite: keys.db', 'sqlite:keys.db '])(
  'DATABASE_URL %j, which would lose keys, is refused',
  (url) => {
    expect(() => loadConfig({ DATABASE_URL: url })).toThrow('without spaces around it');
  },
);

test.each(['pa/ss', 'p,a/ss', 'pa?ss', 'pa#ss', '12#34', '%ss'])(
  'a DATABASE_URL with the password %j is refused, with the way to write it',
  (password) => {
    const attempt = () => loadConfig({ DATABASE_URL: `postgres://nurselog:${password}@db/nurselog` });
    expect(attempt).toThrow(/must be a URL: .*%23.*, or set PGPASSWORD, not "…"$/);
    const encoded = `postgres://nurselog:${encodeURIComponent(password)}@db/nurselog`;
    expect(loadConfig({ DATABASE_URL: encoded }).databaseUrl).toBe(encoded);
  },
);

test.each([
  'ssl_mode=verify-full',
  'sslMode=verify-full',
  'sslmode=verify-full&sslrootCert=ca.pem',
  'sslmode=',
  'sslmode=verify-full&sslmode=disable',
])('a DATABASE_URL with %s is refused: the connection would not be encrypted as intended', (parameters) => {
  const url = `postgres://nurselog:secret@db/nurselog?${parameters}`;
  expect(() => loadConfig({ DATABASE_URL: url })).toThrow('must spell parameters for TLS as sslmode');
});

test('a DATABASE_URL may have no host, but not several, the folder of a socket as a parameter, and parameters for TLS', () => {
  const url = 'postgres://nurselog:a&ssl,b@/nurselog?host=/run/ssl&sslmode=verify-full&sslrootcert=ca.pem';
  expect(loadConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  for (const hosts of ['a,b', 'u@a:5432,b:5432', 'u:p,w@a,b'])
    expect(() => loadConfig({ DATABASE_URL: `postgres://${hosts}/keys` })).toThrow('must name one host');
});

test('an empty DATABASE_URL is refused, because the default would open an empty embedded store', () => {
  expect(() => loadConfig({ DATABASE_URL: '' })).toThrow(
    /^DATABASE_URL must be sqlite:<file> or postgres:.*, not ""$/,
  );
});

test('the file of the store may have a colon in its name', () => {
  expect(loadConfig({ DATABASE_URL: 'sqlite:./http:keys.db' }).databaseUrl).toBe('sqlite:./http:keys.db');
});

test.each(['NURSELOG_PORT', 'NURSELOG_', 'NURSELOG_WORKERS'])(
  'the unknown variable %s is refused',
  (name) => {
    expect(() => loadConfig({ [name]: '1' })).toThrow(ExplainedError);
    expect(() => loadConfig({ [name]: '' })).toThrow(new RegExp(`^"${name}" is not a variable of nurselog`));
  },
);

test("all other variables of the environment are ignored, the clients' NURSELOG_URL and NURSELOG_API_KEY included", () => {
  const others = { PATH: '/bin', NURSE: '1', nurselog_port: '1', HOSTNAME: 'x' };
  const clients = { NURSELOG_URL: 'http://127.0.0.1:8080', NURSELOG_API_KEY: 'nurse_live_0' };
  expect(loadConfig({ ...others, ...clients })).toEqual(loadConfig({}));
});

test('any value of a variable is read, or refused with the name of the variable', () => {
  const name = fc.constantFrom(...variables.map((variable) => variable.name));
  forAll(2000, [name, fc.string()], (variable, value) => {
    try {
      loadConfig({ [variable]: value });
    } catch (error) {
      expect(error).toBeInstanceOf(ExplainedError);
      expect((error as ExplainedError).message.startsWith(`${variable} `)).toBe(true);
    }
  });
});

test('the default folders contain the grid and the models', () => {
  const { dataDir, modelDir } = loadConfig({});
  expect(existsSync(path.join(dataDir, 'grid.arrow'))).toBe(true);
  expect(existsSync(path.join(modelDir, 'manifest.json'))).toBe(true);
});

test('the help has every variable with its default and its meaning', () => {
  const help = configHelp();
  for (const { name, defaultValue, meaning } of describeVariables()) {
    const assignment = defaultValue === '' ? name : `${name}=${defaultValue}`;
    expect(help).toContain(`\n  ${assignment}\n      ${meaning.replaceAll('`', '')}\n`);
  }
  for (const { name } of variables) expect(help).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
});

/** A root folder with the files of control groups, and the file that names that of the process. */
function rootWith(membership: string, groupFiles: Record<string, string>): string {
  const root = temporaryFolder();
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), `${text}\n`);
  };
  write('proc/self/cgroup', membership);
  for (const [name, text] of Object.entries(groupFiles)) write(`sys/fs/cgroup/${name}`, text);
  return root;
}

const ALL_CORES = availableParallelism();
test.each<[name: string, membership: string, files: Record<string, string>, cores: number]>([
  ['no control groups', '', {}, ALL_CORES],
  ['no quota', '0::/app', { 'app/cpu.max': 'max 100000' }, ALL_CORES],
  ['a quota', '0::/app', { 'app/cpu.max': '100000 100000' }, 1],
  ['part of a core', '0::/app', { 'app/cpu.max': '20000 100000' }, 1],
  ['more than the machine has', '0::/app', { 'app/cpu.max': '99900000 100000' }, ALL_CORES],
  ['a quota of the group above', '0::/a/b', { 'a/b/cpu.max': 'max 100000', 'a/cpu.max': '50000 50000' }, 1],
  ['a container that sees only its own group', '0::/host/app', { 'cpu.max': '100000 100000' }, 1],
  [
    'a quota of version 1',
    '3:cpu,cpuacct:/app\n1:name=systemd:/x\n0::/',
    { 'cpu/app/cpu.cfs_quota_us': '100000', 'cpu/app/cpu.cfs_period_us': '100000' },
    1,
  ],
  [
    'no quota of version 1',
    '3:cpu:/app',
    { 'cpu/app/cpu.cfs_quota_us': '-1', 'cpu/app/cpu.cfs_period_us': '100000' },
    ALL_CORES,
  ],
])('the default of WORKERS follows the CPU quota of the control group: %s', (_, membership, files, cores) => {
  expect(availableCores(rootWith(membership, files))).toBe(cores);
});

test.each<[name: string, membership: string, files: Record<string, string>, bytes: number]>([
  ['no control groups', '', {}, Number.POSITIVE_INFINITY],
  ['no limit', '0::/app', { 'app/memory.max': 'max' }, Number.POSITIVE_INFINITY],
  ['a limit, not the request of a pod', '0::/app', { 'memory.max': '4096', 'memory.high': '1024' }, 4096],
  ['the limit of the group above', '0::/a/b', { 'a/b/memory.max': 'max', 'a/memory.max': '8192' }, 8192],
  [
    'a limit of version 1, not the soft one',
    '4:memory:/app\n0::/',
    { 'memory/app/memory.limit_in_bytes': '4096', 'memory/app/memory.soft_limit_in_bytes': '1024' },
    4096,
  ],
])('the memory limit is that beyond which Linux kills: %s', (_, membership, files, bytes) => {
  expect(memoryLimitBytes(rootWith(membership, files))).toBe(bytes);
});

test('a memory limit too small for the configuration is refused with the limit, what is needed and what fits, and the manifests fit theirs', () => {
  const MIB = 2 ** 20;
  const config = loadConfig({ WORKERS: '2' });
  const check = (limitMib: number, tableMib: number) => () =>
    checkMemoryLimit({ ...config, tableMemoryBytes: tableMib * MIB }, limitMib * MIB);
  expect(check(1024, 256)).not.toThrow(); // deploy/compose.yaml, deployment.yaml and replica.conf
  expect(check(1024, 1024)).toThrow(ExplainedError);
  expect(check(1024, 1024)).toThrow(
    /^the memory limit of 1024 MiB is too small: up to 2560 MiB are needed, .* or set TABLE_MEMORY_BYTES to at most 268435456$/,
  );
  expect(check(512, 256)).toThrow(/raise the limit$/);
  expect(check(Number.POSITIVE_INFINITY, 1024)).not.toThrow();
});
