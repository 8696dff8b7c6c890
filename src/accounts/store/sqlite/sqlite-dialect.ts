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
import type { LibsqlDatabase } from './libsql-database.js';
import { retryWhileBusy } from './retry-while-busy.js';

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

/** Waits for the write lock of another process. */
class RetryingConnection implements DatabaseConnection {
  constructor(private readonly connection: DatabaseConnection) {}

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return retryWhileBusy(() => this.connection.executeQuery<Row>(query));
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
