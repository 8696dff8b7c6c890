import type { Kysely } from 'kysely';
import type { KeyRecord } from '../api-key.js';
import { openPostgres } from './postgres.js';
import { type AccountsDatabase, KEY_RECORD, NewerSchemaError } from './schema.js';
import { openSqlite } from './sqlite.js';
import { StoreOpenError } from './store-errors.js';
import { UsageStore } from './usage-store.js';

const SQLITE = 'sqlite:';

const FILE_REMEDY =
  '. It must be a SQLite database file that this user may write to, in a folder this user may write to, on a disk that is not full; else restore it from a backup or move it away.';

/** Whether a database URL names the embedded store, a file on this machine. */
export function isEmbedded(databaseUrl: string): boolean {
  return databaseUrl.startsWith(SQLITE);
}

/**
 * Opens the store that a database URL names and brings its schema up to date.
 * @param databaseUrl `sqlite:PATH` or `postgres://…`, as the configuration ensures
 * @param must what is required of an embedded store: to `exist`, or it is created if it is missing; or to take a `write`,
 * since the service could not count in one that commands can only read
 * @throws StoreOpenError whose message is one line with the file or variable and the reason
 */
export async function openStore(databaseUrl: string, must?: 'exist' | 'write'): Promise<AccountStore> {
  if (!isEmbedded(databaseUrl)) {
    const db = await openPostgres(databaseUrl).catch((error) => {
      throw new StoreOpenError('of DATABASE_URL', error); // its password may be anywhere in one that is wrong
    });
    return new AccountStore(db);
  }
  const path = databaseUrl.slice(SQLITE.length);
  try {
    const store = new AccountStore(await openSqlite(path, must === 'exist'));
    if (must === 'write') await store.checkWrites();
    return store;
  } catch (error) {
    const remedy = error instanceof NewerSchemaError ? '' : FILE_REMEDY;
    throw new StoreOpenError(`${path} of DATABASE_URL`, error, remedy);
  }
}

/** The key that a secret's hash belongs to. */
export interface SecretMatch extends KeyRecord {
  /** SHA-256 of the secret, 64 hexadecimal digits. */
  readonly hash: string;
  /** The moment from which a rotated secret is no longer valid; `null` for the current one. */
  readonly validUntilMs: number | null;
}

/**
 * Storage of keys and counts in a migrated SQL database, which is closed with it. Every method rejects with
 * `StoreUnavailableError` within a fixed deadline if the database cannot do its work now.
 */
export class AccountStore {
  readonly usage: UsageStore;

  constructor(readonly db: Kysely<AccountsDatabase>) {
    this.usage = new UsageStore(db);
  }

  /** The matches among some hashes, in any order; unknown hashes are left out. */
  findSecrets(hashes: readonly string[]): Promise<SecretMatch[]> {
    return this.db
      .selectFrom('key_secrets')
      .innerJoin('api_keys', 'api_keys.id', 'key_secrets.key_id')
      .where('hash', 'in', hashes)
      .select(['hash', 'valid_until_ms as validUntilMs', ...KEY_RECORD])
      .execute();
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
