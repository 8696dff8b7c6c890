import type { Kysely, Transaction } from 'kysely';
import type { KeyState } from '../key-state.js';
import type { KeyRecord, KeyStore, SecretMatch, StoredSecret } from './account-store.js';
import type { AccountsDatabase, ApiKeysTable } from './schema.js';

/** The keys as queries for any SQL database with a kysely dialect. */
export class SqlKeyStore implements KeyStore {
  constructor(private readonly db: Kysely<AccountsDatabase>) {}

  async insert(key: KeyRecord, secretHash: string, beforeCommit: () => void): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await insertKey(trx, key, secretHash);
      beforeCommit();
    });
  }

  async insertIfNone(key: KeyRecord, secretHash: string, beforeCommit: () => void): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      // Concurrent callers wait here until the first has committed, and then insert nothing.
      const claimed = await trx
        .insertInto('first_key')
        .values({ singleton: 1 })
        .onConflict((conflict) => conflict.doNothing())
        .returning('singleton')
        .executeTakeFirst();
      if (claimed === undefined) return false;
      if (await holdsKey(trx)) return false;
      await insertKey(trx, key, secretHash);
      beforeCommit();
      return true;
    });
  }

  async findSecrets(hashes: readonly string[]): Promise<SecretMatch[]> {
    const rows = await this.db
      .selectFrom('key_secrets')
      .innerJoin('api_keys', 'api_keys.id', 'key_secrets.key_id')
      .where('key_secrets.hash', 'in', hashes)
      .select(['key_secrets.hash', 'key_secrets.valid_until_ms'])
      .selectAll('api_keys')
      .execute();
    return rows.map((row) => ({ hash: row.hash, validUntilMs: row.valid_until_ms, key: toKeyRecord(row) }));
  }

  async find(keyId: string): Promise<KeyRecord | undefined> {
    const row = await this.db.selectFrom('api_keys').where('id', '=', keyId).selectAll().executeTakeFirst();
    return row && toKeyRecord(row);
  }

  hasAny(): Promise<boolean> {
    return holdsKey(this.db);
  }

  async list(): Promise<KeyRecord[]> {
    const rows = await this.db
      .selectFrom('api_keys')
      .selectAll()
      .orderBy('created_at_ms')
      .orderBy('id')
      .execute();
    return rows.map(toKeyRecord);
  }

  async setState(keyId: string, to: KeyState, from: readonly KeyState[]): Promise<KeyRecord | undefined> {
    const row = await this.db
      .updateTable('api_keys')
      .set({ state: to })
      .where('id', '=', keyId)
      .where('state', 'in', from)
      .returningAll()
      .executeTakeFirst();
    return row && toKeyRecord(row);
  }

  async replaceSecret(
    keyId: string,
    next: StoredSecret,
    oldValidUntilMs: number,
    beforeCommit: (key: KeyRecord) => void,
  ): Promise<KeyRecord | undefined> {
    return this.db.transaction().execute(async (trx) => {
      // The record first: its row lock serialises two rotations of one key.
      const row = await trx
        .updateTable('api_keys')
        .set({ display: next.display })
        .where('id', '=', keyId)
        .where('state', '!=', 'revoked')
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return undefined;
      await trx
        .updateTable('key_secrets')
        .set({ valid_until_ms: oldValidUntilMs })
        .where('key_id', '=', keyId)
        .where((eb) => eb.or([eb('valid_until_ms', 'is', null), eb('valid_until_ms', '>', oldValidUntilMs)]))
        .execute();
      // Secrets that are no longer valid are not kept.
      await trx
        .deleteFrom('key_secrets')
        .where('key_id', '=', keyId)
        .where('valid_until_ms', '<=', next.createdAtMs)
        .execute();
      await trx
        .insertInto('key_secrets')
        .values({ hash: next.hash, key_id: keyId, created_at_ms: next.createdAtMs, valid_until_ms: null })
        .execute();
      const key = toKeyRecord(row);
      beforeCommit(key);
      return key;
    });
  }
}

async function holdsKey(db: Kysely<AccountsDatabase>): Promise<boolean> {
  return (await db.selectFrom('api_keys').select('id').limit(1).executeTakeFirst()) !== undefined;
}

async function insertKey(
  trx: Transaction<AccountsDatabase>,
  key: KeyRecord,
  secretHash: string,
): Promise<void> {
  const { id, tier, owner, state, display, createdAtMs } = key;
  await trx
    .insertInto('api_keys')
    .values({ id, tier, owner, state, display, created_at_ms: createdAtMs })
    .execute();
  await trx
    .insertInto('key_secrets')
    .values({ hash: secretHash, key_id: id, created_at_ms: createdAtMs, valid_until_ms: null })
    .execute();
}

function toKeyRecord(row: ApiKeysTable): KeyRecord {
  const { id, tier, owner, state, display, created_at_ms } = row;
  return { id, tier, owner, state, display, createdAtMs: created_at_ms };
}
