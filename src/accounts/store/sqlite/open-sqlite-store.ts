import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely } from 'kysely';
import { AccountStore } from '../account-store.js';
import { migrate } from '../migrations.js';
import type { AccountsDatabase } from '../schema.js';
import { NewerSchemaError, StoreOpenError } from '../store-errors.js';
import { LibsqlDatabase } from './libsql-database.js';
import { retryWhileBusy } from './retry-while-busy.js';
import { SharedSqliteDialect } from './sqlite-dialect.js';

const FILE_REMEDY =
  '. It must be a SQLite database file that this user may write to, in a folder this user may write to; restore it from a backup or move it away.';

/**
 * Opens the embedded store, creating the file and its folder if they are missing.
 *
 * @param path the file, absolute or from the working directory
 * @param mustWrite whether a file that takes no writes is refused; otherwise it can be read
 * @throws StoreOpenError naming the file, if it cannot be created, read or written, is not a sound SQLite database, or was
 * changed by a newer release
 */
export async function openSqliteStore(path: string, mustWrite: boolean): Promise<AccountStore> {
  try {
    makeFolder(dirname(path));
    const database = new LibsqlDatabase(path);
    await retryWhileBusy(() => configure(database)); // another process may be opening or recovering the file
    const db = new Kysely<AccountsDatabase>({ dialect: new SharedSqliteDialect(database) });
    await migrate(db);
    const store = new AccountStore(db);
    if (mustWrite) await store.checkWrites();
    return store;
  } catch (error) {
    throw new StoreOpenError(path, error, error instanceof NewerSchemaError ? '' : FILE_REMEDY);
  }
}

/** Recursive, because mkdirSync's own recursion never ends below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process created it first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function configure(database: LibsqlDatabase): void {
  database.pragma('busy_timeout = 0'); // `retryWhileBusy` does the waiting
  // Readers and the writer do not block each other.
  database.pragma('journal_mode = wal');
  // Commits survive a killed process. They survive a power cut only from the next checkpoint on, at the latest the one
  // at the end of every keys command: syncing the disk for each request would delay all others.
  database.pragma('synchronous = normal');
  database.pragma('foreign_keys = on');
  const soundness = database.pragma('quick_check(1)');
  if (soundness !== 'ok') throw new Error(String(soundness).replaceAll('\n', ' '));
}
