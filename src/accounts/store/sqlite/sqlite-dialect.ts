import {
  CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import type { LibsqlDatabase } from './libsql-database.js';
import { PatientConnection } from './patient-connection.js';

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
    return new PatientConnection(await super.acquireConnection());
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** When the disk is full SQLite rolls back itself, and the statement that failed has reported the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.database.inTransaction) await super.rollbackTransaction(connection);
  }
}

class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
