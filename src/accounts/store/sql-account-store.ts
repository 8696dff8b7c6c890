import type { Kysely } from 'kysely';
import type { AccountStore } from './account-store.js';
import type { AccountsDatabase } from './schema.js';
import { SqlDumpStore } from './sql-dump-store.js';
import { SqlKeyStore } from './sql-key-store.js';
import { SqlUsageStore } from './sql-usage-store.js';

/** The account store of a migrated database, which is closed with it. */
export class SqlAccountStore implements AccountStore {
  readonly keys: SqlKeyStore;
  readonly usage: SqlUsageStore;
  readonly dump: SqlDumpStore;

  constructor(private readonly db: Kysely<AccountsDatabase>) {
    this.keys = new SqlKeyStore(db);
    this.usage = new SqlUsageStore(db);
    this.dump = new SqlDumpStore(db);
  }

  async checkWrites(): Promise<void> {
    // A row that would not change is not written.
    await this.db
      .insertInto('write_checks')
      .values({ singleton: 1, checks: 1 })
      .onConflict((conflict) =>
        conflict.column('singleton').doUpdateSet((eb) => ({ checks: eb('write_checks.checks', '+', 1) })),
      )
      .execute();
  }

  async close(): Promise<void> {
    await this.db.destroy();
  }
}
