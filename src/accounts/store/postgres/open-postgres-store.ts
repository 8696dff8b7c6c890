import { Kysely, PostgresDialect } from 'kysely';
import { type PoolConfig, types } from 'pg';
import { AccountStore } from '../account-store.js';
import { migrate } from '../migrations.js';
import type { AccountsDatabase } from '../schema.js';
import { StoreOpenError } from '../store-errors.js';
import { ReconnectingPool } from './reconnecting-pool.js';

/** Connections of one process. Claims and look-ups are grouped, so a few are enough for any number of requests. */
const CONNECTIONS = 8;
/** Together less than the time that a key is used without being read again: see KeyDirectory. */
const CONNECT_TIMEOUT_MS = 1000;
const QUERY_TIMEOUT_MS = 1500;
const IDLE_TIMEOUT_MS = 30_000;
/** Migrations wait for each other, and may rewrite a table. */
const MIGRATION_TIMEOUT_MS = 120_000;

/**
 * Opens a store on PostgreSQL. The URL's parameters are libpq's: `sslmode=verify-full&sslrootcert=FILE` for TLS.
 * @throws StoreOpenError naming host and database, never the password
 */
export async function openPostgresStore(url: string): Promise<AccountStore> {
  try {
    // A separate pool, since its long timeouts are not for requests.
    const migrating = openDatabase(url, { max: 1, ...timeouts(MIGRATION_TIMEOUT_MS) });
    await migrate(migrating).finally(() => migrating.destroy());
    return new AccountStore(openDatabase(url, { max: CONNECTIONS, ...timeouts(QUERY_TIMEOUT_MS) }));
  } catch (error) {
    throw new StoreOpenError(withoutSecrets(url), error);
  }
}

function openDatabase(connectionString: string, config: PoolConfig): Kysely<AccountsDatabase> {
  const pool = new ReconnectingPool({
    connectionString,
    application_name: 'nurselog',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    // Idle connections do not keep a finished process alive.
    allowExitOnIdle: true,
    types: { getTypeParser: parserOf },
    ...config,
  });
  return new Kysely<AccountsDatabase>({ dialect: new PostgresDialect({ pool }) });
}

/** The client stops waiting and the server stops working, so that no abandoned query holds a lock. */
function timeouts(timeoutMs: number): PoolConfig {
  return {
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
  };
}

/** Counts and times are bigint columns far below 2^53: they are read as numbers. */
const parserOf: typeof types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format as 'text');

function withoutSecrets(url: string): string {
  // A ? in the password that should have been escaped makes the URL invalid: what follows it is then no query.
  const address = URL.canParse(url) ? url.replace(/\?.*$/, '') : url;
  return address.replace(/\/\/.*@/, '//').replace(/\?.*$/, '');
}
