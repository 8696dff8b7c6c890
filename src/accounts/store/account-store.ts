import type { Kysely } from 'kysely';
import { DumpStore } from './dump-store.js';
import { KeyStore } from './key-store.js';
import type { AccountsDatabase } from './schema.js';
import { UsageStore } from './usage-store.js';

/**
 * Storage of keys and counts in a migrated SQL database, which is closed with it. Every method rejects with
 * `StoreUnavailableError` within a fixed deadline if the database cannot do its work now.
 */
export class AccountStore {
  readonly keys: KeyStore;
  readonly usage: UsageStore;
  readonly dump: DumpStore;

  constructor(private readonly db: Kysely<AccountsDatabase>) {
    this.keys = new KeyStore(db);
    this.usage = new UsageStore(db);
    this.dump = new DumpStore(db);
  }

  /** Resolves if the database takes writes: one that is full or read-only still answers queries. */
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

  close(): Promise<void> {
    return this.db.destroy();
  }
}
