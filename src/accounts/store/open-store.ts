import type { AccountStore } from './account-store.js';
import { openPostgresStore } from './postgres/open-postgres-store.js';
import { openSqliteStore } from './sqlite/open-sqlite-store.js';

const SQLITE = 'sqlite:';

/** Whether a database URL names the embedded store, a file on this machine. */
export function isEmbedded(databaseUrl: string): boolean {
  return databaseUrl.startsWith(SQLITE);
}

/**
 * Opens the store that a database URL names and brings its schema up to date.
 * @param databaseUrl `sqlite:PATH` or `postgres://…`, as the configuration ensures
 * @param mustWrite whether an embedded store that takes no writes is refused: commands can read it, but the service could
 * not count in it
 * @throws StoreOpenError whose message is one line with the file or host and the reason
 */
export function openStore(databaseUrl: string, mustWrite = false): Promise<AccountStore> {
  return isEmbedded(databaseUrl)
    ? openSqliteStore(databaseUrl.slice(SQLITE.length), mustWrite)
    : openPostgresStore(databaseUrl);
}
