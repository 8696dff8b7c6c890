import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AccountDump, writeDump } from '../../src/accounts/store/account-dump.js';
import { openStore } from '../../src/accounts/store/account-store.js';
import { LibsqlDatabase } from '../../src/accounts/store/sqlite.js';
import { type OutputTo, runCommand } from '../support/command-process.js';
import { temporaryFolder } from '../support/service-process.js';
import { DATABASES, SQLITE } from './support/databases.js';
import { json, KEY, keysOn, runArguments } from './support/run-keys.js';

const BROKEN_OUTPUTS: readonly OutputTo[] = ['a closed pipe', 'a full disk'];

/** Escape sequences of a terminal, a reversal of the writing direction and line breaks. */
const HOSTILE_TEXT = 'Ada\u001b[2J\u009b31m\u202e\u2028key_ffffffffffff\n';
const ACTED_ON = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/u;

/** A store as an unchecked import could leave it. */
const BAD_DUMP: AccountDump = {
  format: 'nurselog-accounts/1',
  keys: [
    {
      id: 'key_0123456789ab',
      tier: 'spore',
      owner: HOSTILE_TEXT,
      state: 'active',
      display: 'nurse_live_\u009b',
      created_at_ms: Number.MAX_SAFE_INTEGER,
      secrets: [],
      usage: [{ day: '\u001b[2J\n', requests: 7 }],
    },
  ],
};

const refusal = (consequence: string) => ({
  code: 1,
  stderr: expect.stringMatching(
    new RegExp(`^keys: standard output cannot be written to \\([^\\n]+\\): ${consequence}\\n$`),
  ),
});

describe.each(DATABASES)('on $name', (database) => {
  test('keys issue and keys rotate refuse an output that nobody would see, and keys list accepts it', async () => {
    const url = await database.create();
    const { id } = json(await keysOn(url)('issue --tier spore --owner Ada --json'));
    const before = await keysOn(url)('export');
    const run = (line: string) => runCommand('keys', line.split(' '), { DATABASE_URL: url }, 'nobody');
    for (const [line, consequence] of [
      ['issue --tier spore --owner Bob', 'nothing was issued'],
      [`rotate ${id}`, 'the old key stays valid'],
    ]) {
      const stderr = `keys: standard output is closed or goes to /dev/null: ${consequence}\n`;
      expect(await run(line!)).toMatchObject({ code: 1, stderr });
    }
    expect(await keysOn(url)('export')).toEqual(before);
    expect(await run('list')).toMatchObject({ code: 0, stderr: '' });
  });

  test.each(BROKEN_OUTPUTS)(
    'with output to %s no key is issued or rotated, a change of state is made, and the error says so',
    async (outputTo) => {
      const url = await database.create();
      const keys = keysOn(url);
      const { id } = json(await keys('issue --tier spore --owner Ada --json'));
      const before = await keys('export');
      const run = (line: string) => runCommand('keys', line.split(' '), { DATABASE_URL: url }, outputTo);
      expect(await run('issue --tier spore --owner Bob')).toMatchObject(refusal('nothing was issued'));
      const rotated = await run(`rotate ${id} --overlap-minutes 10 --json`);
      expect(rotated).toMatchObject(refusal('the old key stays valid'));
      expect(await keys('export')).toEqual(before);
      expect(await run(`revoke ${id}`)).toMatchObject(refusal('the key is revoked'));
      expect(json(await keys('list --json'))).toMatchObject([{ state: 'revoked' }]);
    },
  );

  test('no command prints characters that a terminal acts on, and its JSON still has what the store holds', async () => {
    const url = await database.create();
    const store = await openStore(url);
    await writeDump(store, BAD_DUMP);
    await store.close();
    const keys = keysOn(url);
    for (const command of ['list', 'usage', 'deactivate key_0123456789ab', 'rotate key_0123456789ab']) {
      const people = await keys(command);
      expect(people).toMatchObject({ exitCode: 0, stderr: '' });
      for (const line of people.stdout.split('\n')) expect(line).not.toMatch(ACTED_ON);
      const programs = await keys(`${command} --json`);
      expect(programs.stdout.slice(0, -1)).not.toMatch(ACTED_ON);
      expect(programs.stdout.at(-1)).toBe('\n');
    }
    expect((await keys('list')).stdout.split('\n')).toHaveLength(3); // heading, key, end
    const [bad] = BAD_DUMP.keys;
    expect(json(await keys('list --json'))).toMatchObject([{ owner: bad!.owner, created_at: null }]);
    for (const command of ['export', 'export --json']) {
      const { stdout } = await keys(command);
      expect(stdout.replaceAll('\n', '')).not.toMatch(ACTED_ON);
      expect(JSON.parse(stdout)).toMatchObject({ keys: [{ owner: bad!.owner, usage: bad!.usage }] });
    }
  });
});

async function newSqliteUrl(): Promise<string> {
  const url = await SQLITE.create();
  await (await openStore(url)).close();
  return url;
}

test.each([
  ['an escape', 'Ada\u001b[2J'],
  ['a separator of lines', 'Ada\u2028Siuslaw'],
  ['201 characters', 'x'.repeat(201)],
])('keys issue rejects an owner with %s, and repeats the start of it without that', async (_what, owner) => {
  const url = await newSqliteUrl();
  const result = await keysOn(url)(`issue --tier spore --owner ${owner}`);
  expect(result).toMatchObject({ exitCode: 2, stdout: '' });
  expect(result.stderr).toMatch(/^keys: --owner must be one line of 1 to 200 [^\n]{0,400}\n[^\n]+\n$/);
  expect(result.stderr.replaceAll('\n', '')).not.toMatch(ACTED_ON);
  expect(json(await keysOn(url)('list --json'))).toEqual([]);
});

function execute(url: string, ...statements: string[]): void {
  const database = new LibsqlDatabase(url.slice('sqlite:'.length));
  onTestFinished(() => database.close());
  for (const sql of statements) database.prepare(sql).run([]);
}

test.each([
  ['list', 'a closed pipe'],
  ['list --json', 'a full disk'],
  ['usage', 'a closed pipe'],
  ['export', 'a full disk'],
] as const)('keys %s fails with one line where its output goes to %s', async (line, outputTo) => {
  const result = await runCommand('keys', line.split(' '), { DATABASE_URL: await newSqliteUrl() }, outputTo);
  expect(result).toMatchObject(refusal('the (list|export) is not complete'));
});

test('a key that was printed before its commit failed is not in the store, and the error says not to use it', async () => {
  const url = await newSqliteUrl();
  // A foreign key that is checked when the transaction is committed.
  execute(
    url,
    'create table parent (id text primary key)',
    'create table child (id text references parent (id) deferrable initially deferred)',
    "create trigger fails after insert on api_keys begin insert into child values ('x'); end",
  );
  const result = await keysOn(url)('issue --tier spore --owner Ada');
  expect(result.exitCode).toBe(1);
  expect(result.stdout).toMatch(KEY);
  expect(result.stderr).toMatch(/^keys: [^\n]+; do not use the key that was printed\n$/);
  expect(json(await keysOn(url)('list --json'))).toEqual([]);
});

test('an unexpected failure is reported in one line with exit code 1', async () => {
  const url = await newSqliteUrl();
  execute(url, 'drop table daily_usage');
  const stderr = expect.stringMatching(/^keys: [^\n]*daily_usage[^\n]*\n$/);
  expect(await runCommand('keys', ['usage'], { DATABASE_URL: url })).toEqual({ code: 1, stdout: '', stderr });
});

test.each([
  [['\u001b[2J\u009b\u202e\n']],
  [['x'.repeat(100_000)]],
  [['list', `--${'x'.repeat(100_000)}`]],
  [['list', '--\u001b[2J\u009b\u202e\n']],
  [['list', 'x'.repeat(100_000)]],
  [['usage', '--day', `\u009b${'x'.repeat(100_000)}`]],
  [['import', `\u009b${'x'.repeat(100_000)}`]],
  [['issue', '--tier', 'x'.repeat(100_000)]],
  [['issue', '--owner', '--tier', 'spore']],
  [['revoke', 'nurse_live_0123456789abcdef0123456789abcdef'.repeat(100)]],
])(
  'an invalid command line is reported in a short line without characters that a terminal acts on',
  async (args) => {
    const { exitCode, stdout, stderr } = await runArguments(await newSqliteUrl(), args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^keys: [^\n]{1,500}\n"keys --help" shows its usage.\n$/);
    expect(stderr.replaceAll('\n', '')).not.toMatch(ACTED_ON);
    expect(stderr).not.toMatch(KEY);
  },
);

test.each([
  'sqlite:http://root:secret@127.0.0.1:1',
  'mysql://root:secret@db',
  'postgres://root:secret@127.0.0.1:port/db',
  'postgres://root:secret@127.0.0.1:1/db?password=secret',
  'postgres://root:secret\nsecret@127.0.0.1:1/db',
])('the DATABASE_URL %s is refused in one line without its password', async (url) => {
  const stderr = expect.stringMatching(/^keys: (?!.*secret)[^\n]+\n$/);
  expect(await keysOn(url)('list')).toEqual({ exitCode: 1, stdout: '', stderr });
});

test('an import whose output cannot be written has imported everything, and says so', async () => {
  const url = await newSqliteUrl();
  const dump = join(temporaryFolder(), 'accounts.json');
  writeFileSync(dump, JSON.stringify({ format: 'nurselog-accounts/1', keys: [] }));
  const result = await runCommand('keys', ['import', dump], { DATABASE_URL: url }, 'a full disk');
  expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(/: everything was imported\n$/) });
});
