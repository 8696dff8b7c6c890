import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hashKey } from '../../src/accounts/key-format.js';
import { DATABASES } from './support/databases.js';
import { callerOf, openAccounts } from './support/open-accounts.js';
import { clock, json, KEY, keysOn } from './support/run-keys.js';
import { temporaryFolder } from './support/temporary-folder.js';

describe.each(DATABASES)('moving the embedded store to $name', (database) => {
  test('export and import keep keys, secrets, overlaps, states and counts', async () => {
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
    expect(await accounts.authenticate(revoked.key)).toEqual({ kind: 'invalid' });
    expect(readFileSync(dump, 'utf8')).not.toMatch(KEY);
  });

  test('an import that meets a key of the same id adds nothing', async () => {
    const folder = temporaryFolder();
    const from = keysOn(`sqlite:${join(folder, 'nurselog.db')}`);
    const to = keysOn(await database.create());
    const dump = join(folder, 'accounts.json');
    const { id } = json(await from('issue --tier spore --owner Siuslaw --json'));
    writeFileSync(dump, (await from('export')).stdout);
    await to(`import ${dump}`);
    await from('issue --tier spore --owner Siuslaw --json');
    writeFileSync(dump, (await from('export')).stdout);
    expect(await to(`import ${dump}`)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(id) });
    expect(json(await to('list --json'))).toHaveLength(1);
  });

  test('thousands of keys and counts move', async () => {
    const folder = temporaryFolder();
    const keys = Array.from({ length: 2500 }, (_, index) => ({
      id: `key_${index.toString(16).padStart(12, '0')}`,
      tier: 'spore',
      owner: 'Siuslaw',
      state: 'active',
      display: 'nurse_live_0000…',
      created_at_ms: index,
      secrets: [{ hash: hashKey(String(index)), created_at_ms: index, valid_until_ms: null }],
      usage: [{ day: '2026-11-20', requests: index }],
    }));
    const exported = { format: 'nurselog-accounts/1', keys };
    const dump = join(folder, 'accounts.json');
    writeFileSync(dump, JSON.stringify(exported));
    const to = keysOn(await database.create());
    await to(`import ${dump}`);
    expect(json(await to('export'))).toEqual(exported);
  });
});

test.each([
  ['no JSON', '{', 'cannot be read as JSON'],
  ['other JSON', '{"keys":[]}', 'is not what "keys export" writes: format'],
  ['a key of an unknown tier', '{"format":"nurselog-accounts/1","keys":[{"tier":"gold"}]}', 'keys.0'],
])('an import of %s is refused with what is wrong in it', async (_kind, content, message) => {
  const file = join(temporaryFolder(), 'accounts.json');
  writeFileSync(file, content);
  expect(await keysOn(`sqlite:${join(temporaryFolder(), 'nurselog.db')}`)(`import ${file}`)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(message),
  });
});
