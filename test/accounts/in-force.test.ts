import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Accounts } from '../../src/accounts/accounts.js';
import { systemClock } from '../../src/accounts/clock.js';
import { KeyAdministration } from '../../src/accounts/key-administration.js';
import { openStore } from '../../src/accounts/store/open-store.js';
import { DATABASES } from './support/databases.js';

const IN_FORCE_MS = 5000;

describe.each(DATABASES)("an operator's change on $name, by the machine's own clock", (database) => {
  test.each([
    ['often', 20],
    ['now and then', 1900],
  ])('is in force within 5 seconds on a replica that sees the key %s', async (_how, everyMs) => {
    const url = await database.create();
    const replica = new Accounts(await openStore(url), systemClock, () => {});
    const operatorStore = await openStore(url);
    const keys = new KeyAdministration(operatorStore, systemClock);
    const { key, secret } = await keys.issue('hypha', 'Cascade Nursery');
    for (let request = 0; request < 3; request += 1) await replica.authenticate(secret);

    await keys.setState(key.id, 'deactivated');
    const changedMs = performance.now();
    while ((await replica.authenticate(secret)).kind === 'ok') await sleep(everyMs);
    expect(performance.now() - changedMs).toBeLessThan(IN_FORCE_MS);

    await replica.close();
    await operatorStore.close();
  });
});
