import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { Accounts } from '../../src/accounts/accounts.js';
import { generateKey } from '../../src/accounts/api-key.js';
import { openStore } from '../../src/accounts/store/account-store.js';
import { KeyAdministration } from '../../src/accounts/store/key-administration.js';
import { StoreUnavailableError } from '../../src/accounts/store/store-errors.js';
import { eventually } from '../support/eventually.js';
import { amount, IS_LONG } from '../support/length.js';
import { CuttableLink } from './support/cuttable-link.js';
import { HAS_POSTGRES, POSTGRES } from './support/databases.js';
import { callerOf } from './support/open-accounts.js';

/** Longer than the time for which a key that was read is trusted. */
const OUTAGE_MS = amount({ short: 5000, long: 8000 });
const HEALED_WITHIN_MS = 5000;
/** The deadlines of a connection and a query, twice: a request may wait for the current run and for its own. */
const REFUSED_WITHIN_MS = 6000;
/** Far below any deadline: a request that took less did not wait for the database. */
const AT_ONCE_MS = 500;

/** A replica whose database is reached over a link, and keys that it has seen. */
async function replicaOverLink(databaseUrl: string) {
  const link = await CuttableLink.to(databaseUrl);
  const backgroundErrors: unknown[] = [];
  const store = await openStore(link.over(databaseUrl));
  const accounts = new Accounts(store, Date.now, (error) => backgroundErrors.push(error));
  const operatorStore = await openStore(databaseUrl);
  const keys = new KeyAdministration(operatorStore, Date.now);
  onTestFinished(async () => {
    link.cut();
    await accounts.close().catch(() => {});
    await operatorStore.close();
  });
  const hypha = await keys.issue('hypha', 'Cascade Nursery');
  const spore = await keys.issue('spore', 'Okanogan Seed');
  await callerOf(accounts, hypha.secret);
  await accounts.admit(await callerOf(accounts, spore.secret));
  return { link, accounts, keys, hypha, spore, backgroundErrors };
}

async function timed<Result>(promise: Promise<Result>) {
  const startedMs = performance.now();
  const outcome = await promise.then(
    (value) => ({ value, error: undefined }),
    (error: unknown) => ({ value: undefined, error }),
  );
  return { ...outcome, tookMs: performance.now() - startedMs };
}

const testOnPostgres = test.runIf(HAS_POSTGRES);

testOnPostgres.each([
  ['refuses connections', 'cut'],
  ['is silent', 'silence'],
] as const)(
  'while PostgreSQL %s, known hypha keys are admitted and others refused in bounded time; afterwards all are admitted',
  async (_how, takeAway) => {
    const replica = await replicaOverLink(await POSTGRES.create());
    const { link, accounts, keys, hypha, spore, backgroundErrors } = replica;
    link[takeAway]();
    const startedMs = performance.now();
    const limited: Promise<{ error: unknown; tookMs: number }>[] = [];
    let admitted = 0;
    let slowestMs = 0;
    while (performance.now() - startedMs < OUTAGE_MS) {
      const request = await timed(callerOf(accounts, hypha.secret).then((key) => accounts.admit(key)));
      expect(request.error).toBeUndefined();
      slowestMs = Math.max(slowestMs, request.tookMs);
      admitted += 1;
      if (admitted % 20 === 0) {
        limited.push(timed(accounts.admit(spore.key)));
        limited.push(timed(accounts.authenticate(generateKey())));
        limited.push(timed(accounts.checkStore()));
      }
      await sleep(20);
    }
    if (IS_LONG) expect(slowestMs).toBeLessThan(AT_ONCE_MS);
    for (const { error, tookMs } of await Promise.all(limited)) {
      expect(error).toBeInstanceOf(StoreUnavailableError);
      if (IS_LONG) expect(tookMs).toBeLessThan(REFUSED_WITHIN_MS);
    }
    expect(backgroundErrors.length).toBeGreaterThan(0);
    expect(backgroundErrors.every((error) => error instanceof StoreUnavailableError)).toBe(true);

    await link.restore();
    const restoredMs = performance.now();
    await eventually(() => accounts.admit(spore.key));
    await eventually(() => accounts.authenticate(generateKey()));
    await eventually(() => accounts.flush());
    if (IS_LONG) expect(performance.now() - restoredMs).toBeLessThan(HEALED_WITHIN_MS);

    const usage = await keys.usage({ keyId: hypha.key.id });
    expect(usage.reduce((sum, { requests }) => sum + requests, 0)).toBe(admitted);
  },
);

testOnPostgres(
  'requests are admitted again after a silence of PostgreSQL that left every connection dead',
  async () => {
    const { link, accounts, keys, spore } = await replicaOverLink(await POSTGRES.create());
    const others = await Promise.all(Array.from({ length: 20 }, () => keys.issue('spore', 'Okanogan Seed')));
    // As many connections as a replica may have, all of them open.
    await Promise.all(others.map(({ key }) => accounts.admit(key)));
    link.silence();
    await link.restore();
    const restoredMs = performance.now();
    await eventually(() => accounts.admit(spore.key));
    if (IS_LONG) expect(performance.now() - restoredMs).toBeLessThan(HEALED_WITHIN_MS);
  },
);

testOnPostgres('a refund that fails while PostgreSQL is away is made when it returns', async () => {
  const { link, accounts, spore } = await replicaOverLink(await POSTGRES.create());
  const admission = await accounts.admit(spore.key);
  link.cut();
  await eventually(() => expect(accounts.checkStore()).rejects.toThrow('ECONNREFUSED'));
  expect(await accounts.refund(admission)).toMatchObject({ remaining: admission.remaining! + 1 });
  await link.restore();
  await eventually(() => accounts.flush());
  expect(await accounts.admit(spore.key)).toMatchObject({ remaining: admission.remaining });
});

testOnPostgres('a request that PostgreSQL gave back without saying so is not given back again', async () => {
  const { link, accounts, keys, spore, hypha } = await replicaOverLink(await POSTGRES.create());
  for (const { key } of [spore, hypha]) {
    const [admission] = [await accounts.admit(key), await accounts.admit(key)];
    await accounts.flush();
    const [before] = await keys.usage({ keyId: key.id });
    link.loseAnswers();
    await accounts.refund(admission);
    await eventually(() => accounts.flush());
    expect(await keys.usage({ keyId: key.id })).toEqual([{ ...before, requests: before!.requests - 1 }]);
  }
});

testOnPostgres.each([
  [
    'is read-only',
    'alter database DATABASE set default_transaction_read_only = on',
    'set transaction read write; alter database DATABASE set default_transaction_read_only = off', // seen by new connections alone
    'cannot execute INSERT in a read-only transaction',
  ],
  [
    'lacks a privilege',
    'grant all on write_checks to pg_monitor; alter database DATABASE set role = pg_monitor',
    'set role none; grant all on all tables in schema public to pg_monitor',
    'permission denied for table daily_usage',
  ],
  [
    'lacks a table',
    'alter table daily_usage rename to renamed',
    'alter table renamed rename to daily_usage',
    'relation "daily_usage" does not exist',
  ],
])(
  'while PostgreSQL %s it is unavailable, and requests are admitted afterwards',
  async (_, take, give, reason) => {
    const url = await POSTGRES.create();
    const { link, accounts, spore } = await replicaOverLink(url);
    const execute = (sql: string) =>
      POSTGRES.execute(url, sql.replace('DATABASE', new URL(url).pathname.slice(1)));
    await execute(take);
    link.cut();
    await link.restore();
    await eventually(() =>
      expect(accounts.checkStore()).rejects.toThrow(`key store is unavailable: ${reason}`),
    );
    await execute(give);
    await eventually(() => accounts.admit(spore.key));
  },
);

testOnPostgres('a query of a command, such as an export, may take longer than one of a request', async () => {
  const store = await openStore(await POSTGRES.create(), 'exist');
  await sql`select pg_sleep(2)`.execute(store.db);
  await store.close();
});

testOnPostgres('a start without PostgreSQL names the server in one line, without its password', async () => {
  const url = new URL(await POSTGRES.create());
  const link = await CuttableLink.to(url.href);
  link.cut();
  url.password = 'hidden';
  const message =
    /^the key store of DATABASE_URL cannot be used: (?!.*hidden).*ECONNREFUSED 127\.0\.0\.1:\d+$/;
  await expect(openStore(link.over(url.href))).rejects.toThrow(message);
});

test.each(['u:hidden@127.0.0.1:1/db?options=a@b', 'u:hid?den@127.0.0.1:1/db', 'u:12?hidden@127.0.0.1:1/db'])(
  'the error of a store at postgres://%s names DATABASE_URL, and nothing of the password or the query',
  async (address) => {
    const message = /^the key store of DATABASE_URL cannot be used: (?!.*(hid|den|options|12\?))/s;
    await expect(openStore(`postgres://${address}`)).rejects.toThrow(message);
  },
);
