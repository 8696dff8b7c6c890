import { expect, test } from 'vitest';
import { Accounts } from '../../src/accounts/accounts.js';
import { openStore } from '../../src/accounts/store/account-store.js';
import { KeyAdministration } from '../../src/accounts/store/key-administration.js';
import { LogLines } from '../support/log-lines.js';
import { startTestService } from '../support/service.js';
import { DATABASES, SQLITE } from './support/databases.js';
import { openAccounts } from './support/open-accounts.js';
import { SettableClock } from './support/settable-clock.js';

const clock = new SettableClock('2026-11-20T12:00:00Z');

/** SQL that removes a key as if it had never been issued. */
const removalOf = (id: string) =>
  ['daily_usage where key_id', 'key_secrets where key_id', 'api_keys where id']
    .map((rows) => `delete from ${rows} = '${id}'`)
    .join(';');

test.each(DATABASES)(
  'on $name, counts of a key that the store no longer has are dropped and reported, and all others are written',
  async (database) => {
    const url = await database.create();
    const errors: unknown[] = [];
    const store = await openStore(url);
    const accounts = new Accounts(store, clock.nowMs, (error) => errors.push(error));
    const issuer = new KeyAdministration(store, clock.nowMs);
    const issued = await Promise.all(Array.from({ length: 5 }, () => issuer.issue('hypha', 'a nursery')));
    const [removed, ...kept] = issued.map(({ key }) => key);
    await database.execute(url, removalOf(removed.id));

    await Promise.all([removed, removed, ...kept, ...kept].map((key) => accounts.admit(key)));
    for (const key of kept) expect(await accounts.usageToday(key)).toMatchObject({ requests: 2 });
    expect(await accounts.usageToday(removed)).toMatchObject({ requests: 0 });
    expect(errors).toMatchObject([
      { message: `the key store refuses to add 2 to the requests of ${removed.id} on 2026-11-20` },
    ]);

    await Promise.all([removed, ...kept].map((key) => accounts.admit(key)));
    await accounts.close();
    expect(errors).toHaveLength(2);
    const { keys } = await openAccounts(url, clock);
    expect((await keys.usage({})).map(({ keyId, requests }) => [keyId, requests]).sort()).toEqual(
      kept.map(({ id }) => [id, 3]).sort(),
    );
  },
);

test('the log says which count was dropped, and a limited key that is gone gets 401', async () => {
  const log = new LogLines();
  const service = await startTestService({ WORKERS: '1' }, clock.nowMs, log);
  try {
    const { id, secret } = await service.issueKey('hypha');
    const ask = () => service.get('/v1/species', { 'x-api-key': secret });
    expect((await ask()).status).toBe(200);
    await SQLITE.execute(service.config.databaseUrl, removalOf(id));
    expect((await ask()).status).toBe(200); // on this clock, what was read of the key never becomes old
    const line = await log.find(({ msg }) => msg === 'a request count was dropped');
    expect(line).toMatchObject({ level: 50 });
    expect((line.err as Error).message).toMatch(
      new RegExp(`requests of ${id} on 2026-11-20: .*FOREIGN KEY constraint failed`),
    );
    await service.get('/v1/species');
    const usage = await service.get('/v1/usage');
    expect(await usage.json()).toMatchObject({ requests_today: 1 });
    const limited = await service.issueKey('spore');
    const askLimited = () => service.get('/v1/species', { 'x-api-key': limited.secret });
    expect((await askLimited()).status).toBe(200);
    await SQLITE.execute(service.config.databaseUrl, removalOf(limited.id));
    expect((await askLimited()).status).toBe(401);
  } finally {
    await service.stop();
  }
});
