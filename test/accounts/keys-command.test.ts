import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hashKey } from '../../src/accounts/api-key.js';
import { fileOf, openStore } from '../../src/accounts/store/account-store.js';
import { temporaryFolder } from '../support/service-process.js';
import { DATABASES } from './support/databases.js';
import { json, KEY, keysOn } from './support/run-keys.js';

describe.each(DATABASES)('on $name', (database) => {
  test('keys issue prints the key once, for people and as JSON, and the store then has it', async () => {
    const url = await database.create();
    const keys = keysOn(url);
    const people = await keys('issue --tier spore --owner Siuslaw');
    const file = fileOf(url);
    const stderr = file === undefined ? '' : `keys: creating the key store ${file}\n`;
    expect(people).toMatchObject({ exitCode: 0, stderr });
    expect(people.stdout.match(KEY)).toHaveLength(1);

    const issued = json(await keys('issue --tier mycel --owner Siuslaw --json'));
    expect(issued).toEqual({
      key: expect.stringMatching(KEY),
      id: expect.stringMatching(/^key_[0-9a-f]{12}$/),
      tier: 'mycel',
      owner: 'Siuslaw',
      state: 'active',
      display: `${issued.key.slice(0, 15)}…`,
      created_at: '2026-11-20T12:00:00.000Z',
    });
    const store = await openStore(url);
    expect(await store.findSecrets([hashKey(issued.key)])).toMatchObject([{ id: issued.id }]);
    await store.close();
    expect((await keys('list')).stdout).not.toMatch(KEY);
  });

  test('keys deactivate, activate, revoke and list show the state of a key', async () => {
    const keys = keysOn(await database.create());
    const { id } = json(await keys('issue --tier spore --owner Siuslaw --json'));
    for (const [command, state] of [
      ['deactivate', 'deactivated'],
      ['activate', 'active'],
      ['revoke', 'revoked'],
    ]) {
      expect(json(await keys(`${command} ${id} --json`))).toMatchObject({ id, state });
      expect(json(await keys('list --json'))).toMatchObject([{ id, state }]);
      expect((await keys('list')).stdout).toMatch(new RegExp(`${id} .* ${state} `));
    }
    expect(await keys(`activate ${id}`)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(id) });
  });

  test('keys rotate prints the new key and how long the old one is accepted', async () => {
    const keys = keysOn(await database.create());
    const { id, key } = json(await keys('issue --tier spore --owner Siuslaw --json'));
    const rotated = json(await keys(`rotate ${id} --json`));
    expect(rotated).toMatchObject({ id, tier: 'spore', old_key_valid_until: null });
    expect(rotated).toMatchObject({ key: expect.stringMatching(KEY) });
    expect(rotated.key).not.toBe(key);
    const overlapping = json(await keys(`rotate ${id} --overlap-minutes 90 --json`));
    expect(overlapping.old_key_valid_until).toBe('2026-11-20T13:30:00.000Z');
  });

  test('keys usage reports requests by key and day', async () => {
    const url = await database.create();
    const keys = keysOn(url);
    const { id } = json(await keys('issue --tier hypha --owner Siuslaw --json'));
    const store = await openStore(url);
    const days = [
      { day: '2026-11-19', id, requests: 7 },
      { day: '2026-11-20', id, requests: 11 },
    ];
    await store.addRequests(days.map(({ day, requests }) => ({ keyId: id, day, requests })));
    await store.close();
    expect(json(await keys('usage --json'))).toEqual(days);
    expect(json(await keys(`usage ${id} --json`))).toEqual(days);
    expect(json(await keys('usage --day 2026-11-20 --json'))).toEqual([days[1]]);
    expect((await keys('usage')).stdout).toMatch(new RegExp(`2026-11-20 +${id} +11`));
  });
});

const keys = (line: string) => keysOn(`sqlite:${join(temporaryFolder(), 'nurselog.db')}`)(line);

test.each([
  ['', 'no command was given; the commands are issue, list'],
  ['grant', '"grant" is not a command; the commands are issue, list'],
  ['toString', '"toString" is not a command'],
  ['issue --owner Siuslaw', '--tier must be one of spore, mycel, hypha'],
  ['issue --tier gold --owner Siuslaw', '--tier must be one of spore, mycel, hypha, not "gold"'],
  ['issue --tier spore', '--owner must be one line of 1 to 200 characters'],
  ['issue --tier spore --owner S --colour red', "Unknown option '--colour'"],
  ['list all', 'unexpected argument "all"'],
  ['revoke', 'KEY_ID must be the id of a key, which "keys list" shows'],
  ['revoke 17', 'KEY_ID must be an id such as key_0123456789ab, which "keys list" shows, not "17"'],
  ['issue --owner S --tier', '--tier must be one of spore, mycel, hypha, not ""'],
  [
    'rotate key_0123456789ab --overlap-minutes -5',
    '--overlap-minutes must be a whole number from 0 to 43200, not "-5"',
  ],
  ['usage --day 2026-02-30', '--day must be a UTC day such as 2026-11-20, not "2026-02-30"'],
])(
  'the keys command rejects the arguments %j with exit code 2 and says what would be right',
  async (line, message) => {
    const stderr = expect.stringContaining(message);
    expect(await keys(line)).toMatchObject({ exitCode: 2, stdout: '', stderr });
  },
);

test.each(['list', 'usage', 'export', 'revoke key_0123456789ab', 'rotate key_0123456789ab'])(
  'keys %s of a store that does not exist names the file and does not create it',
  async (line) => {
    const file = join(temporaryFolder(), 'typo.db');
    const stderr = expect.stringMatching(
      `^keys: the key store ${file} of DATABASE_URL cannot be used: ENOENT: no such file`,
    );
    expect(await keysOn(`sqlite:${file}`)(line)).toEqual({ exitCode: 1, stdout: '', stderr });
    expect(existsSync(file)).toBe(false);
  },
);

test('the keys command rejects an unknown key id with exit code 1 and no stack', async () => {
  const onStore = keysOn(`sqlite:${join(temporaryFolder(), 'nurselog.db')}`);
  await onStore('issue --tier spore --owner Siuslaw');
  const stderr = 'keys: there is no key key_0123456789ab; "keys list" shows the ids of all keys\n';
  expect(await onStore('revoke key_0123456789ab')).toEqual({ exitCode: 1, stdout: '', stderr });
});

test('keys --help names every command', async () => {
  const { stdout } = await keys('--help');
  for (const command of 'issue list deactivate activate revoke rotate usage export import'.split(' '))
    expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
});
