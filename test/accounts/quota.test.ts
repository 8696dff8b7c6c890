import { describe, expect, test } from 'vitest';
import { DATABASES } from './support/databases.js';
import { openAccounts } from './support/open-accounts.js';
import { SettableClock } from './support/settable-clock.js';

describe.each(DATABASES)('on $name', (database) => {
  test('a request that fails with a 5xx is refunded on the day on which it was admitted', async () => {
    const clock = new SettableClock('2026-11-20T23:59:59Z');
    const { accounts, keys } = await openAccounts(await database.create(), clock);
    const { key } = await keys.issue('spore', 'Okanogan Seed');
    const [admission] = await Promise.all(Array.from({ length: 100 }, () => accounts.admit(key)));
    clock.set('2026-11-21T00:00:01Z');
    await accounts.admit(key);

    expect(await accounts.refund(admission!)).toMatchObject({ day: '2026-11-20', remaining: 1 });
    clock.set('2026-11-20T23:59:59Z');
    expect(await accounts.admit(key)).toMatchObject({ admitted: true, remaining: 0 });
    expect(await accounts.admit(key)).toMatchObject({ admitted: false });
    expect(await keys.usage({ keyId: key.id, day: '2026-11-21' })).toMatchObject([{ requests: 1 }]);
  });

  test('a refund whose request the store no longer counts, as after a restore, leaves the count at 0', async () => {
    const url = await database.create();
    const { accounts, keys } = await openAccounts(url);
    for (const tier of ['spore', 'hypha'] as const) {
      const { key } = await keys.issue(tier, 'Okanogan Seed');
      const [admission, another] = [await accounts.admit(key), await accounts.admit(key)];
      await accounts.flush();
      await database.execute(url, 'delete from daily_usage');
      for (const each of [admission, another]) {
        const { limit, remaining } = await accounts.refund(each);
        expect(remaining).toBe(limit);
        await accounts.flush();
        expect(await keys.usage({})).toMatchObject([{ requests: 0 }]);
      }
    }
  });
});
