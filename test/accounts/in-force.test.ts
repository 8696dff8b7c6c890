import { describe, expect, test } from 'vitest';
import { DATABASES } from './support/databases.js';
import { openAccounts } from './support/open-accounts.js';

const IN_FORCE_MS = 5000;

describe.each(DATABASES)('on $name', (database) => {
  test.each([
    ['often', 20],
    ['now and then', 1900],
  ])(
    "an operator's change is in force within 5 seconds on a replica that sees the key %s",
    async (_how, everyMs) => {
      const url = await database.create();
      const { accounts, clock } = await openAccounts(url);
      const operator = await openAccounts(url, clock);
      const { key, secret } = await operator.keys.issue('hypha', 'Cascade Nursery');
      expect(await accounts.authenticate(secret)).toMatchObject({ kind: 'ok' });

      await operator.keys.setState(key.id, 'deactivated');
      for (let passedMs = 0; passedMs < IN_FORCE_MS; passedMs += everyMs) {
        await accounts.authenticate(secret);
        clock.advanceMs(Math.min(everyMs, IN_FORCE_MS - passedMs));
      }
      expect(await accounts.authenticate(secret)).toMatchObject({ kind: 'inactive' });
    },
  );
});
