import { type Kysely, sql } from 'kysely';
import type { AccountStore } from './account-store.js';
import type { AccountsDatabase } from './schema.js';
import { SqlDumpStore } from './sql-dump-store.js';
import { SqlKeyStore } from './sql-key-store.js';
import { SqlUsageStore } from './sql-usage-store.js';

/** The account store over a migrated database, which is closed with it. */
export class SqlAccountStore implements AccountStore {
  readonly keys: SqlKeyStore;
  readonly usage: SqlUsageStore;
  readonly dump: SqlDumpStore;
  readonly #db: Kysely<AccountsDatabase>;

  constructor(db: Kysely<AccountsDatabase>) {
    this.#db = db;
    this.keys = new SqlKeyStore(db);
    this.usage = new SqlUsageStore(db);
    this.dump = new SqlDumpStore(db);
  }

  async ping(): Promise<void> {
    await sql`select 1`.execute(this.#db);
  }

  async close(): Promise<void> {
    await this.#db.destroy();
  }
}
