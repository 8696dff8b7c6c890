import { describe, expect, test } from 'vitest';
import { DATABASES } from './support/databases.js';
import { openAccounts } from './support/open-accounts.js';

describe.each(DATABASES)('on $name', (database) => {
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
