import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import { DatabaseError, Pool, type PoolConfig, types } from 'pg';
import { type AccountsDatabase, migrate } from './schema.js';
import { StoreUnavailableError } from './store-errors.js';

/** Connections of one process. Claims and look-ups are grouped, so a few are enough for any number of requests. */
const CONNECTIONS = 8;
/** Together less than the time that a key is used without being read again: see `keyDirectory`. */
const CONNECT_TIMEOUT_MS = 1000;
const QUERY_TIMEOUT_MS = 1500;
const IDLE_TIMEOUT_MS = 30_000;
/** Migrations wait for each other, and may rewrite a table; an export reads all of it. */
const LONG_TIMEOUT_MS = 120_000;

/**
 * Opens a migrated database of PostgreSQL. The URL's parameters are libpq's, such as `sslmode=verify-full` for TLS.
 * @param isPatient whether a query may take as long as a migration
 */
export async function openPostgres(url: string, isPatient: boolean): Promise<Kysely<AccountsDatabase>> {
  // A separate pool, since its long timeouts are not for requests.
  const migrating = openDatabase(url, 1, LONG_TIMEOUT_MS);
  await migrate(migrating).finally(() => migrating.destroy());
  return openDatabase(url, CONNECTIONS, isPatient ? LONG_TIMEOUT_MS : QUERY_TIMEOUT_MS);
}

function openDatabase(connectionString: string, max: number, timeoutMs: number): Kysely<AccountsDatabase> {
  const pool = reconnectingPool({
    connectionString,
    max,
    application_name: 'nurselog',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    // The client stops waiting and the server stops working, so that no abandoned query holds a lock.
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
    keepAlive: true,
    // Idle connections do not keep a finished process alive.
    allowExitOnIdle: true,
  });
  return new Kysely<AccountsDatabase>({ dialect: new PostgresDialect({ pool }) });
}

// Counts and times are bigint columns far below 2^53: they are read as numbers.
types.setTypeParser(types.builtins.INT8, Number);

/**
 * Classes of SQLSTATE caused by the server, its load or its permissions and not by the statement: connection exception,
 * transaction rollback, read-only transaction, missing role, database, privilege or table, insufficient resources, lock
 * not available, operator intervention (including statement timeouts), system error.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE = /^(08|25006|28|3D|40|42501|42P01|53|55P03|57|58)/;

/**
 * A connection pool for kysely that survives lost connections: every query gets an answer or a `StoreUnavailableError`
 * in bounded time, and a connection that stopped answering is never used again.
 * @param config with `connectionTimeoutMillis` and `query_timeout`, which bound every wait
 */
function reconnectingPool(config: PoolConfig): PostgresPool {
  const newPool = () => new Pool(config).on('error', ignore);
  let current = newPool();
  /**
   * Replaces the pool. When one connection stops answering, the others most likely have too, and waiting for the
   * timeout of each would take longer than the outage.
   */
  const replace = (pool: Pool) => {
    if (pool !== current) return;
    current = newPool();
    pool.end().catch(ignore); // it rejects if the store was closed meanwhile
  };
  const connect = async (): Promise<PostgresPoolClient> => {
    const pool = current;
    const client = await pool.connect().catch((error: Error) => {
      throw new StoreUnavailableError(messageOf(error), error);
    });
    client.on('error', ignore);
    let isReadOnly = false;
    const query = async (sql: string, parameters: readonly unknown[]) => {
      try {
        return await client.query(sql, [...parameters]);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        // pg stops waiting and leaves the query on its connection; it has no code for that.
        if (error.message === 'Query read timeout') replace(pool);
        isReadOnly = error instanceof DatabaseError && error.code === '25006';
        throw new StoreUnavailableError(messageOf(error), error, !(error instanceof DatabaseError));
      }
    };
    return {
      // kysely's other overload, with a cursor, is for streaming and needs a cursor in the dialect's configuration.
      query: query as unknown as PostgresPoolClient['query'],
      // pg itself drops a broken connection here. A read-only one may lead to a server that is no longer the primary.
      release: () => {
        client.removeListener('error', ignore);
        client.release(isReadOnly);
      },
    };
  };
  return { connect, end: () => current.end() };
}

/** For errors that others report: a connection that fails in use fails its query; an idle one has left the pool. */
function ignore(): void {}

/** Whether an error of pg means that the database cannot do its work now. Errors without SQLSTATE come from the connection. */
function isUnavailable(error: unknown): error is Error {
  return !(error instanceof DatabaseError) || UNAVAILABLE.test(error.code ?? '');
}

/** The message of an error. If no address of a host answers, the error has no message itself, but one for each. */
function messageOf(error: Error): string {
  return error instanceof AggregateError && error.message === ''
    ? error.errors.map(({ message }) => message).join(', ')
    : error.message;
}
