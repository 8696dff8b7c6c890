import type { AccountStore } from './account-store.js';
import { openSqliteStore } from './sqlite/open-sqlite-store.js';
import { StoreOpenError } from './store-errors.js';

const SQLITE = 'sqlite:';

/** Whether a database URL names the embedded store, one file on this machine. */
export function isEmbedded(databaseUrl: string): boolean {
  return databaseUrl.startsWith(SQLITE);
}

/**
 * Opens the store that a database URL names, `sqlite:PATH`, and brings its schema up to date.
 *
 * Rejects with `StoreOpenError`, whose message is one line that names the file or host and what is wrong with it.
 */
export async function openStore(databaseUrl: string): Promise<AccountStore> {
  if (isEmbedded(databaseUrl)) return openSqliteStore(databaseUrl.slice(SQLITE.length));
  throw new StoreOpenError('DATABASE_URL must be sqlite:PATH, as in sqlite:var/nurselog.db');
}
