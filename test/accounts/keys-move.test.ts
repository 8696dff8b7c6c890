import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hashKey } from '../../src/accounts/api-key.js';
import { temporaryFolder } from '../support/service-process.js';
import { DATABASES } from './support/databases.js';
import { callerOf, openAccounts } from './support/open-accounts.js';
import { clock, json, KEY, keysOn } from './support/run-keys.js';

describe.each(DATABASES)('on $name', (database) => {
  test('an export and an import keep keys, secrets, overlaps, states and counts', async () => {
    const folder = temporaryFolder();
    const from = keysOn(`sqlite:${join(folder, 'nurselog.db')}`);
    const spore = json(await from('issue --tier spore --owner Siuslaw --json'));
    const revoked = json(await from('issue --tier hypha --owner Siuslaw --json'));
    await from(`revoke ${revoked.id}`);
    const rotated = json(await from(`rotate ${spore.id} --overlap-minutes 60 --json`));
    const old = await openAccounts(`sqlite:${join(folder, 'nurselog.db')}`, clock);
    for (let request = 0; request < 3; request += 1)
      await old.accounts.admit(await callerOf(old.accounts, spore.key));
    const dump = join(folder, 'accounts.json');
    writeFileSync(dump, (await from('export')).stdout);

    const url = await database.create();
    const to = keysOn(url);
    expect(await to(`import ${dump} --json`)).toMatchObject({ exitCode: 0, stdout: '{"imported":2}\n' });

    for (const command of ['list', 'usage', 'export']) {
      expect(json(await to(`${command} --json`))).toEqual(json(await from(`${command} --json`)));
    }
    const { accounts } = await openAccounts(url, clock);
    expect(await accounts.admit(await callerOf(accounts, spore.key))).toMatchObject({ remaining: 96 });
    expect(await accounts.admit(await callerOf(accounts, rotated.key))).toMatchObject({ remaining: 95 });
    expect(await accounts.authenticate(revoked.key)).toBeUndefined();
    expect(readFileSync(dump, 'utf8')).not.toMatch(KEY);
  });

  test('an import that meets a known key, or a known secret under another id, or has one twice, adds nothing', async () => {
    const folder = temporaryFolder();
    const from = keysOn(`sqlite:${join(folder, 'nurselog.db')}`);
    const to = keysOn(await database.create());
    const file = join(folder, 'accounts.json');
    await from('issue --tier spore --owner Siuslaw');
    writeFileSync(file, (await from('export')).stdout);
    const { stdout } = await to(`import ${file}`);
    expect(stdout).toBe('Keys imported with their secrets and counts: 1.\n');
    const before = await to('export');
    await from('issue --tier spore --owner Siuslaw');
    const { format, keys } = json(await from('export'));
    const refused = [keys, [{ ...keys[0], id: 'key_00000000beef' }, keys[1]], ...REPEATED];
    for (const keys of refused) {
      writeFileSync(file, JSON.stringify({ format, keys }));
      const stderr =
        'keys: the store already has keys or secrets of the file, or the file has one twice; ' +
        'nothing was imported: use an empty store\n';
      expect(await to(`import ${file}`)).toEqual({ exitCode: 1, stdout: '', stderr });
      expect(await to('export')).toEqual(before);
    }
  });

  test('thousands of keys and counts are exported and imported', async () => {
    const folder = temporaryFolder();
    const keys = Array.from({ length: 2500 }, (_, index) => newKey(index));
    const exported = { format: 'nurselog-accounts/1', keys };
    const dump = join(folder, 'accounts.json');
    writeFileSync(dump, JSON.stringify(exported));
    const to = keysOn(await database.create());
    await to(`import ${dump}`);
    expect(json(await to('export'))).toEqual(exported);
  });
});

const newKey = (number: number) => ({
  id: `key_${number.toString(16).padStart(12, '0')}`,
  tier: 'spore',
  owner: 'Siuslaw',
  state: 'active',
  display: 'nurse_live_0000…',
  created_at_ms: number,
  secrets: [{ hash: hashKey(String(number)), created_at_ms: number, valid_until_ms: null }],
  usage: [{ day: '2026-11-20', requests: number }],
});
const good = newKey(1);
const second = (change: object) => [good, { ...newKey(2), ...change }];
const [secret] = good.secrets;
const REPEATED = [
  second({ id: good.id }),
  second({ secrets: good.secrets }),
  [{ ...good, secrets: [secret, secret] }],
  [{ ...good, usage: [...good.usage, ...good.usage] }],
];
const usage = (...days: string[]) => second({ usage: days.map((day) => ({ day, requests: 1 })) });
const DATE = 253_402_300_800_000; // of the year 10000

test.each<[string, string | object[], string]>([
  ['no JSON', '{', 'cannot be read as JSON'],
  ['other JSON', '{"keys":[]}', 'is not a file of "keys export": format'],
  [
    'a key of an unknown tier',
    second({ tier: 'gold' }),
    'keys.1.tier: must be one of spore, mycel, hypha ("gold")',
  ],
  ['a day of no calendar', usage('2026-02-30'), 'keys.1.usage.0.day: must be a day'],
  ['a day with an escape', usage('\u001b[2J'), '("\\u001b[2J")'],
  ['a date beyond the calendar', second({ created_at_ms: DATE }), '("253402300800000")'],
  ['a date before 1970', second({ created_at_ms: -1 }), 'keys.1.created_at_ms: must be a time'],
  ['a secret from beyond', second({ secrets: [{ ...secret, created_at_ms: DATE }] }), 'created_at_ms'],
  ['a secret for ever', second({ secrets: [{ ...secret, valid_until_ms: DATE }] }), 'valid_until_ms'],
  ['a count without end', second({ usage: [{ day: '2026-11-20', requests: 2 ** 53 - 1 }] }), 'requests'],
  ['an owner with a NUL', second({ owner: 'Ada\u0000' }), '("Ada\\u0000")'],
  ['an owner with an escape', second({ owner: 'Ada\u009b31m' }), '("Ada\\u009b31m")'],
  ['an owner turned round', second({ owner: 'Ada\u202e' }), '("Ada\\u202e")'],
  ['an owner of half a character', second({ owner: 'Ada\ud83c' }), '("Ada\\ud83c")'],
  ['an owner of 100,000 characters', second({ owner: 'x'.repeat(100_000) }), '(100000 characters)")'],
  ['nobody', second({ owner: '' }), 'keys.1.owner: must be one line'],
  ['a key as its own display', second({ display: `nurse_live_${'0'.repeat(32)}` }), 'keys.1.display'],
  ['a field that is none', second({ ['\u001b'.repeat(500)]: 1 }), 'keys.1: Unrecognized key: "\\u001b'],
])(
  'an import of %s is refused in one line that names what is wrong, and creates no store',
  async (_what, content, message) => {
    const file = join(temporaryFolder(), 'accounts.json');
    const isText = typeof content === 'string';
    writeFileSync(file, isText ? content : JSON.stringify({ format: 'nurselog-accounts/1', keys: content }));
    const store = join(temporaryFolder(), 'nurselog.db');
    const { exitCode, stdout, stderr } = await keysOn(`sqlite:${store}`)(`import ${file}`);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^keys: [^\n]{1,1000}\n"keys --help" shows its usage.\n$/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|nurse_live_0{32}/);
    expect(existsSync(store)).toBe(false);
  },
);
