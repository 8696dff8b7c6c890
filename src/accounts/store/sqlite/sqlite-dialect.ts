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
 * begins. A transaction that first reads and then writes would otherwise fail, not wait, when another process wrote
 * in between; and migrations, which kysely runs in one transaction if told that it can, are serialised by it.
 */
export class SharedSqliteDialect extends SqliteDialect {
  readonly #database: LibsqlDatabase;

  constructor(database: LibsqlDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): Driver {
    return new SharedSqliteDriver(this.#database);
  }

  override createAdapter(): DialectAdapter {
    return new TransactionalDdlAdapter();
  }
}

class SharedSqliteDriver extends SqliteDriver {
  readonly #database: LibsqlDatabase;

  constructor(database: LibsqlDatabase) {
    super({ database });
    this.#database = database;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new PatientConnection(await super.acquireConnection());
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** SQLite itself rolls back where the disk is full, and what was wrong is told by the statement that failed. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection);
  }
}

class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
