import { describe, expect, test } from 'vitest';
import { generateKey } from '../../src/accounts/api-key.js';
import type { IssuedKey } from '../../src/accounts/store/key-administration.js';
import { DATABASES, SQLITE } from './support/databases.js';
import { openAccounts } from './support/open-accounts.js';

/** The promise: a change by an operator is in force on every replica within 5 seconds. */
const IN_FORCE_MS = 5000;

describe.each(DATABASES)('on $name', (database) => {
  test('an active key is accepted with its tier and owner', async () => {
    const { accounts, keys } = await openAccounts(await database.create());
    const { key, secret } = await keys.issue('mycel', 'Umpqua Growers');
    expect(await accounts.authenticate(secret)).toMatchObject(key);
  });

  test.each([
    ['deactivated', 20, 'deactivated'],
    ['revoked', 100, undefined],
    ['rotated', 1900, undefined],
  ] as const)(
    'a key %s in another process is refused here within 5 seconds though it is used every %i ms',
    async (change, everyMs, state) => {
      const url = await database.create();
      const { accounts, clock } = await openAccounts(url);
      const operator = await openAccounts(url, clock);
      const { key, secret } = await operator.keys.issue('hypha', 'Umpqua Growers');
      expect(await accounts.authenticate(secret)).toMatchObject({ state: 'active' });
      if (change === 'rotated') await operator.keys.rotate(key.id, 0);
      else await operator.keys.setState(key.id, change);

      for (let passedMs = 0; passedMs < IN_FORCE_MS; passedMs += everyMs) {
        await accounts.authenticate(secret);
        clock.advanceMs(Math.min(everyMs, IN_FORCE_MS - passedMs));
      }
      expect((await accounts.authenticate(secret))?.state).toBe(state);
    },
  );

  test('only the SHA-256 and the display form of a key are stored', async () => {
    const url = await database.create();
    const { accounts, keys } = await openAccounts(url);
    const { secret } = await keys.issue('spore', 'Umpqua Growers');
    await accounts.close();
    const dump = await database.dump(url);
    expect(dump).toContain(`${secret.slice(0, 15)}…`);
    expect(dump).not.toContain(secret.slice('nurse_live_'.length));
  });

  test('the error for a key that does not exist names it', async () => {
    const { keys } = await openAccounts(await database.create());
    const refusal = { message: expect.stringContaining('there is no key key_00000000dead') };
    await expect(keys.setState('key_00000000dead', 'revoked')).rejects.toMatchObject(refusal);
    await expect(keys.rotate('key_00000000dead', 0)).rejects.toMatchObject(refusal);
    await expect(keys.usage({ keyId: 'key_00000000dead' })).rejects.toMatchObject(refusal);
  });
});

test('a key is nurse_live_ and 32 lower-case hexadecimal digits, and no two are alike', () => {
  const made = Array.from({ length: 1000 }, generateKey);
  expect(made.every((key) => /^nurse_live_[0-9a-f]{32}$/.test(key))).toBe(true);
  expect(new Set(made).size).toBe(1000);
});

test('only one of several processes that start on an empty embedded store issues the first key', async () => {
  const url = await SQLITE.create();
  const replicas = await Promise.all(Array.from({ length: 4 }, () => openAccounts(url)));
  const shown: IssuedKey[] = [];
  const show = (issued: IssuedKey) => shown.push(issued);
  await Promise.all(replicas.map(({ keys }) => keys.issueFirst('hypha', 'first run', show)));
  await replicas[0].keys.issueFirst('hypha', 'second run', show);
  expect(await replicas[0].keys.list()).toEqual(shown.map(({ key }) => key));
  expect(shown).toHaveLength(1);
});
