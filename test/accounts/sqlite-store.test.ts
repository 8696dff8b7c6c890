import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readDump } from '../../src/accounts/store/account-dump.js';
import { openStore } from '../../src/accounts/store/account-store.js';
import { KeyAdministration } from '../../src/accounts/store/key-administration.js';
import { LibsqlDatabase } from '../../src/accounts/store/sqlite.js';
import { StoreUnavailableError } from '../../src/accounts/store/store-errors.js';
import { ExplainedError } from '../../src/output/explained-error.js';
import { temporaryFolder } from '../support/service-process.js';
import { DATABASES } from './support/databases.js';

/** The one line an operator gets when a store does not open. */
async function openingError(url: string): Promise<string> {
  const error = await openStore(url).catch((rejection: unknown) => rejection);
  expect(error).toBeInstanceOf(ExplainedError);
  const { message } = error as ExplainedError;
  expect(message).not.toMatch(/\n|ConnectionFailed/);
  return message;
}

/** A store with a page's worth of keys in it, closed. */
async function filledStore(): Promise<string> {
  const file = join(temporaryFolder(), 'nurselog.db');
  const store = await openStore(`sqlite:${file}`);
  const keys = new KeyAdministration(store, Date.now);
  for (let index = 0; index < 100; index += 1) await keys.issue('spore', `Owner ${index}`);
  await store.close();
  return file;
}

test('the embedded store creates its folder, keeps everything in one file once it is closed, and is unavailable while another is in its place', async () => {
  const folder = join(temporaryFolder(), 'var', 'lib');
  const store = await openStore(`sqlite:${folder}/nurselog.db`);
  const { key } = await new KeyAdministration(store, Date.now).issue('spore', 'Siuslaw');
  await store.close();
  const again = await openStore(`sqlite:${folder}/nurselog.db`);
  renameSync(`${folder}/nurselog.db`, `${folder}/moved.db`);
  writeFileSync(`${folder}/nurselog.db`, '');
  await expect(again.checkWrites()).rejects.toThrow(/unavailable: .*nurselog\.db was removed or replaced/);
  renameSync(`${folder}/moved.db`, `${folder}/nurselog.db`);
  expect(await new KeyAdministration(again, Date.now).list()).toEqual([key]);
  await again.close();
});

test('opening a store waits while another process creates it', async () => {
  const file = join(temporaryFolder(), 'nurselog.db');
  const other = new LibsqlDatabase(file);
  other.prepare('begin immediate').run([]); // not yet in WAL mode: a lock that SQLite's own timeout does not wait for
  const opening = openStore(`sqlite:${file}`);
  await setImmediate();
  other.prepare('rollback').run([]);
  const store = await opening;
  expect(await store.findSecrets(['none'])).toEqual([]);
  await store.close();
  other.close();
});

test('writes that wait for the lock of another process fail together, not one after the other, while an export is read, and later ones are committed', async () => {
  const file = await filledStore();
  const store = await openStore(`sqlite:${file}`);
  const keys = new KeyAdministration(store, Date.now);
  const [{ id: keyId }] = await keys.list();
  const claim = () => store.claim({ keyId, day: '2026-11-27', requests: 1 }, 500);
  const other = new LibsqlDatabase(file);
  other.prepare('begin immediate').run([]);
  const startedMs = performance.now();
  const endsMs = await Promise.all(
    [claim(), claim(), claim(), store.checkWrites(), keys.issue('spore', 'Ada')].map(async (write) => {
      await expect(write).rejects.toThrow(StoreUnavailableError);
      return performance.now() - startedMs;
    }),
  );
  expect((await readDump(store)).keys).toHaveLength(100);
  expect(Math.max(...endsMs)).toBeLessThan(2 * Math.min(...endsMs));
  expect(await openingError(`sqlite:${file}`)).toMatch(
    /: database is locked in .*nurselog\.db \(SQLITE_BUSY\)$/,
  );
  other.prepare('rollback').run([]);
  await claim();
  expect(other.prepare('select requests from daily_usage').all([])).toEqual([{ requests: 1 }]);
  other.close();
  await store.close();
});

test('the error names a file that is not a database, is damaged, or is a folder', async () => {
  const noDatabase = join(temporaryFolder(), 'nurselog.db');
  writeFileSync(noDatabase, 'no database '.repeat(1000));
  const damaged = await filledStore();
  await truncate(damaged, 3 * 4096);
  for (const file of [noDatabase, damaged, temporaryFolder(), `${noDatabase}/nurselog.db`])
    expect(await openingError(`sqlite:${file}`)).toContain(`${file} of DATABASE_URL cannot be used`);
});

test.each(DATABASES)(
  'a store on $name with the schema of a newer release is refused with the change and what to do, which is not to move it away',
  async (database) => {
    const url = await database.create();
    await (await openStore(url)).close();
    await database.execute(url, "insert into kysely_migration values ('0999_of_tomorrow', '2026-11-22')");
    expect(await openingError(url)).toMatch(
      /cannot be used: a newer release of nurselog has changed its schema \(0999_of_tomorrow\)\. Start that release, or export the keys with it and import them into an empty store with this one\.$/,
    );
  },
);

test.skipIf(process.getuid?.() === 0)('the error names a folder that may not be written to', async () => {
  const folder = join(temporaryFolder(), 'locked');
  mkdirSync(folder);
  chmodSync(folder, 0o500);
  expect(await openingError(`sqlite:${folder}/nurselog.db`)).toContain('used: SQLite cannot open the file. ');
});
