import { describe, expect, test, vi } from 'vitest';
import { generateKey } from '../../src/accounts/api-key.js';
import { DATABASES } from './support/databases.js';
import { openAccounts } from './support/open-accounts.js';

/** Opens accounts and records the queries that look keys up, without changing them. */
async function watchedAccounts(url: string) {
  const opened = await openAccounts(url);
  return { ...opened, queries: vi.spyOn(opened.store, 'findSecrets') };
}

describe.each(DATABASES)('on $name', (database) => {
  test('a key in constant use costs one query a second, whatever the number of requests', async () => {
    const { accounts, keys, clock, queries } = await watchedAccounts(await database.create());
    const { secret } = await keys.issue('hypha', 'Cascade Nursery');
    for (let request = 0; request < 10_000; request += 1) {
      await accounts.authenticate(secret);
      clock.advanceMs(1);
    }
    expect(queries.mock.calls.length).toBeLessThanOrEqual(10);
  });

  test('requests that need the same key at once share one query', async () => {
    const { accounts, keys, queries } = await watchedAccounts(await database.create());
    const { secret } = await keys.issue('hypha', 'Cascade Nursery');
    await Promise.all(Array.from({ length: 500 }, () => accounts.authenticate(secret)));
    expect(queries).toHaveBeenCalledTimes(1);
  });

  test('text that cannot be a key is never looked up in the store', async () => {
    const { accounts, queries } = await watchedAccounts(await database.create());
    const nonsense = [
      undefined,
      '',
      'nurse_live_',
      `${generateKey()} `,
      "' or 1=1 --",
      generateKey().toUpperCase(),
    ];
    await Promise.all(nonsense.map((secret) => accounts.authenticate(secret)));
    expect(queries).not.toHaveBeenCalled();
  });

  test('an unknown key in repeated requests is looked up once in 4 seconds', async () => {
    const { accounts, clock, queries } = await watchedAccounts(await database.create());
    const unknown = generateKey();
    for (let request = 0; request < 1000; request += 1) await accounts.authenticate(unknown);
    expect(queries).toHaveBeenCalledTimes(1);
    clock.advanceMs(4000);
    await accounts.authenticate(unknown);
    expect(queries).toHaveBeenCalledTimes(2);
  });

  test('a flood of 20,000 different unknown keys causes few queries and evicts no known key', async () => {
    const { accounts, keys, queries } = await watchedAccounts(await database.create());
    const { secret } = await keys.issue('hypha', 'Cascade Nursery');
    await accounts.authenticate(secret);
    const flood = Array.from({ length: 20_000 }, generateKey);
    const answers = await Promise.all(flood.map((unknown) => accounts.authenticate(unknown)));
    expect(answers.every((key) => key === undefined)).toBe(true);
    expect(queries.mock.calls.length).toBeLessThanOrEqual(50);
    queries.mockClear();
    expect(await accounts.authenticate(secret)).toMatchObject({ state: 'active' });
    expect(queries).not.toHaveBeenCalled();
  });

  test('a clock that is set back does not extend the time for which a key that was read is trusted', async () => {
    const url = await database.create();
    const { accounts, keys, clock } = await watchedAccounts(url);
    const { key, secret } = await keys.issue('hypha', 'Cascade Nursery');
    await accounts.authenticate(secret);
    await keys.setState(key.id, 'revoked');
    clock.advanceMs(-3_600_000);
    expect(await accounts.authenticate(secret)).toBeUndefined();
  });
});
