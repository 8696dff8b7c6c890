import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import { StoreBusyError } from '../store-errors.js';
import type { LibsqlDatabase } from './libsql-database.js';

const RETRY_AFTER_MS = 2;
/** Two seconds, several hundred times the duration of one of our writes. */
const ATTEMPTS = 1000;

/**
 * kysely's SQLite dialect for a file that several processes write to: every transaction takes the write lock when it
 * begins. Otherwise a transaction that reads before it writes fails, instead of waiting, when another process wrote in
 * between. The lock also serialises migrations, which kysely runs in one transaction where the adapter allows it.
 */
export class SharedSqliteDialect extends SqliteDialect {
  constructor(private readonly database: LibsqlDatabase) {
    super({ database });
  }

  override createDriver(): Driver {
    return new SharedSqliteDriver(this.database);
  }

  override createAdapter(): DialectAdapter {
    return new TransactionalDdlAdapter();
  }
}

class SharedSqliteDriver extends SqliteDriver {
  constructor(private readonly database: LibsqlDatabase) {
    super({ database });
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new RetryingConnection(await super.acquireConnection());
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** When the disk is full SQLite rolls back itself, and the statement that failed has reported the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.database.inTransaction) await super.rollbackTransaction(connection);
  }
}

/**
 * Waits for the write lock of another process without blocking this one: SQLite's own busy timeout sleeps inside the
 * call and would block every request in flight.
 */
class RetryingConnection implements DatabaseConnection {
  constructor(private readonly connection: DatabaseConnection) {}

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.connection.executeQuery<Row>(query);
      } catch (error) {
        if (!(error instanceof StoreBusyError) || attempt === ATTEMPTS) throw error;
        await sleep(RETRY_AFTER_MS);
      }
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.connection.streamQuery(query, chunkSize);
  }
}

class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
