import type { AccountStore } from './account-store.js';
import { openPostgresStore } from './postgres/open-postgres-store.js';
import { openSqliteStore } from './sqlite/open-sqlite-store.js';
import { StoreOpenError } from './store-errors.js';

const SQLITE = 'sqlite:';
const POSTGRES = /^postgres(ql)?:\/\//;

/** Whether a database URL names the embedded store, a file on this machine. */
export function isEmbedded(databaseUrl: string): boolean {
  return databaseUrl.startsWith(SQLITE);
}

/**
 * Opens the store that a database URL names, `sqlite:PATH` or `postgres://…`, and brings its schema up to date.
 * @throws StoreOpenError whose message is one line with the file or host and the reason
 */
export async function openStore(databaseUrl: string): Promise<AccountStore> {
  if (isEmbedded(databaseUrl)) return openSqliteStore(databaseUrl.slice(SQLITE.length));
  if (POSTGRES.test(databaseUrl)) return openPostgresStore(databaseUrl);
  throw new StoreOpenError(
    'the database URL must be sqlite:PATH, as in sqlite:var/nurselog.db, or postgres://…',
  );
}
