import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/accounts/store/account-store.js';
import { KeyAdministration } from '../../src/accounts/store/key-administration.js';
import { AdmittingProcess } from './support/admitting-process.js';
import { DATABASES } from './support/databases.js';

describe.each(DATABASES)('on $name', (database) => {
  test('three processes that open an empty store together admit exactly 100 of 1,000 simultaneous requests', async () => {
    const url = await database.create();
    const processes = Array.from({ length: 3 }, () => new AdmittingProcess(url));
    await Promise.all(processes.map((each) => each.ready()));
    const store = await openStore(url);
    const keys = new KeyAdministration(store, Date.now);
    const { key, secret } = await keys.issue('spore', 'Okanogan Seed');

    const admitted = await Promise.all(
      processes.map((each, index) => each.admit(secret, index === 0 ? 334 : 333)),
    );

    expect(admitted.reduce((sum, each) => sum + each)).toBe(100);
    expect(await keys.usage({ keyId: key.id })).toMatchObject([{ requests: 100 }]);
    await store.close();
  });

  test('a process killed under load loses the count of no answered request, and its store opens', async () => {
    const url = await database.create();
    const store = await openStore(url);
    const { key, secret } = await new KeyAdministration(store, Date.now).issue('mycel', 'Okanogan Seed');
    await store.close();

    let answered = 0;
    for (let round = 0; round < 3; round += 1) {
      const victim = new AdmittingProcess(url);
      await victim.ready();
      for (let request = 0; request < 50; request += 1) victim.ask(secret, 1);
      // It is in the middle of the others when it dies.
      for (let answer = 0; answer < 10 + round; answer += 1) answered += Number(await victim.answer());
      await victim.kill();
      for (let late = await victim.answer(); late !== undefined; late = await victim.answer()) {
        answered += Number(late);
      }
    }

    const reopened = await openStore(url);
    const usage = await new KeyAdministration(reopened, Date.now).usage({ keyId: key.id });
    const counted = usage.reduce((sum, { requests }) => sum + requests, 0);
    expect(counted).toBeGreaterThanOrEqual(answered);
    // Only the request in progress at each death may be counted without an answer.
    expect(counted).toBeLessThanOrEqual(answered + 3);
    expect(answered).toBeGreaterThanOrEqual(30);
    await reopened.close();
  });
});
