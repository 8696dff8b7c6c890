import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely } from 'kysely';
import type { AccountStore } from '../account-store.js';
import { migrate } from '../migrate.js';
import type { AccountsDatabase } from '../schema.js';
import { SqlAccountStore } from '../sql-account-store.js';
import { StoreOpenError, StoreUnavailableError } from '../store-errors.js';
import { LibsqlDatabase } from './libsql-database.js';
import { SharedSqliteDialect } from './sqlite-dialect.js';

/** While opening, how long to wait for another process that is opening or recovering the same file. */
const OPENING_TIMEOUT_MS = 2000;

/**
 * Opens the embedded store, creating the file and its folder if they are missing.
 *
 * @param path the file, absolute or from the working directory
 * @throws StoreOpenError naming the file, if it cannot be created, read or written or is not a sound SQLite database
 */
export async function openSqliteStore(path: string): Promise<AccountStore> {
  try {
    makeFolder(dirname(path));
    const database = new LibsqlDatabase(path);
    configure(database);
    const db = new Kysely<AccountsDatabase>({ dialect: new SharedSqliteDialect(database) });
    await migrate(db);
    return new SqlAccountStore(db);
  } catch (error) {
    const reason = error instanceof StoreUnavailableError ? error.reason : (error as Error).message;
    throw new StoreOpenError(
      `the key store ${path} cannot be used: ${reason}. It must be a SQLite database file that this user may write ` +
        'to, in a folder this user may write to; restore it from a backup or move it away.',
      { cause: error },
    );
  }
}

/** mkdirSync's own recursion never ends below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function configure(database: LibsqlDatabase): void {
  database.pragma(`busy_timeout = ${OPENING_TIMEOUT_MS}`);
  // Readers and the writer do not wait for each other.
  database.pragma('journal_mode = wal');
  // What is committed outlives the process. To outlive a power cut, too, it waits for the next checkpoint, the latest
  // of which is the close that ends every keys command: a sync of the disk for each request would hold up all others.
  database.pragma('synchronous = normal');
  database.pragma('foreign_keys = on');
  const soundness = database.pragma('quick_check(1)');
  if (soundness !== 'ok') throw new Error(String(soundness).replaceAll('\n', ' '));
  // From here on PatientConnection waits.
  database.pragma('busy_timeout = 0');
}
