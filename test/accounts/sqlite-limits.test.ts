import { join } from 'node:path';
import { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { Accounts, type Caller } from '../../src/accounts/accounts.js';
import { AccountStore, openStore } from '../../src/accounts/store/account-store.js';
import { KeyAdministration } from '../../src/accounts/store/key-administration.js';
import type { AccountsDatabase } from '../../src/accounts/store/schema.js';
import { LibsqlDatabase, sharedSqliteDialect } from '../../src/accounts/store/sqlite.js';
import { StoreUnavailableError } from '../../src/accounts/store/store-errors.js';
import { temporaryFolder } from '../support/service-process.js';
import { SettableClock } from './support/settable-clock.js';

const DAY_MS = 86_400_000;

type Held = Awaited<ReturnType<typeof heldStore>>;

/** The embedded store and its connection, with which a test can fill the disk or make it read-only. */
async function heldStore(onBackgroundError: (error: unknown, message: string) => void = () => {}) {
  const file = join(temporaryFolder(), 'nurselog.db');
  await (await openStore(`sqlite:${file}`)).close();
  const database = new LibsqlDatabase(file);
  database.pragma('foreign_keys = on');
  const dialect = sharedSqliteDialect(database);
  const store = new AccountStore(new Kysely<AccountsDatabase>({ dialect }));
  const clock = new SettableClock('2026-11-20T12:00:00Z');
  const accounts = new Accounts(store, clock.nowMs, onBackgroundError);
  return { database, clock, accounts, keys: new KeyAdministration(store, clock.nowMs) };
}

/** Admits one request a day, which takes a little more space each time, until that fails or for three years. */
async function fillUp({ accounts, clock }: Held, caller: Caller): Promise<void> {
  for (let day = 0; day < 1000; day += 1) {
    clock.advanceMs(DAY_MS);
    await accounts.admit(caller);
  }
}

test.each([
  ['on a full disk', 'max_page_count = 1', 'max_page_count = 1000000'],
  ['on a read-only disk', 'query_only = on', 'query_only = off'],
])(
  'while the store is %s, hypha is admitted and limited tiers are unavailable, and afterwards all are admitted',
  async (_how, begin, end) => {
    const held = await heldStore();
    const { database, accounts, keys } = held;
    const hypha = await keys.issue('hypha', 'Cascade Nursery');
    const spore = await keys.issue('spore', 'Okanogan Seed');

    database.pragma(begin);
    expect(await accounts.authenticate(hypha.secret)).toMatchObject({ state: 'active' });
    expect(await accounts.admit(hypha.key)).toMatchObject({ admitted: true });
    await expect(fillUp(held, spore.key)).rejects.toBeInstanceOf(StoreUnavailableError);

    database.pragma(end);
    expect(await accounts.admit(spore.key)).toMatchObject({ admitted: true });
    await accounts.flush();
    expect(await keys.usage({ keyId: hypha.key.id })).toMatchObject([{ requests: 1 }]);
    await accounts.close();
  },
);

test('if the store becomes read-only after it refused one of many counts, each of the others is written once', async () => {
  let refusals = 0;
  const held = await heldStore((_error, message) => {
    if (message !== 'a request count was dropped') return;
    refusals++;
    held.database.pragma('query_only = on');
  });
  const { database, accounts, keys } = held;
  const issued = await Promise.all(Array.from({ length: 5 }, () => keys.issue('hypha', 'Cascade Nursery')));
  const callers = issued.map(({ key }) => key).sort((a, b) => (a.id < b.id ? -1 : 1));
  const [removed] = callers.splice(2, 1); // counts are written in this order
  database.prepare('delete from key_secrets where key_id = ?').run([removed.id]);
  database.prepare('delete from api_keys where id = ?').run([removed.id]);

  await Promise.all([removed, ...callers].map((caller) => accounts.admit(caller)));
  await expect(accounts.flush()).rejects.toBeInstanceOf(StoreUnavailableError);
  expect(await keys.usage({})).toHaveLength(2);

  database.pragma('query_only = off');
  await Promise.all(callers.map((caller) => accounts.admit(caller)));
  await accounts.flush();
  expect(refusals).toBe(1);
  const counts = new Map((await keys.usage({})).map(({ keyId, requests }) => [keyId, requests]));
  expect(counts).toEqual(new Map(callers.map(({ id }) => [id, 2])));
  await accounts.close();
});
