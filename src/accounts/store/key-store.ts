import type { Kysely, Transaction } from 'kysely';
import type { KeyRecord, KeyState } from '../api-key.js';
import type { AccountsDatabase } from './schema.js';

/** The key that a secret's hash belongs to. */
export interface SecretMatch extends KeyRecord {
  /** SHA-256 of the secret, 64 hexadecimal digits. */
  readonly hash: string;
  /** The moment from which a rotated secret is no longer valid; `null` for the current one. */
  readonly validUntilMs: number | null;
}

const KEY_RECORD = [
  'id',
  'tier',
  'owner',
  'state',
  'display',
  'api_keys.created_at_ms as createdAtMs',
] as const;

/** The keys and their secrets. If `beforeCommit` throws, the change is rolled back and the method rejects with that error. */
export class KeyStore {
  constructor(private readonly db: Kysely<AccountsDatabase>) {}

  /**
   * Adds a key with its first secret.
   * @param onlyIfNone adds nothing if the store holds a key; of several callers at once one succeeds on an embedded store,
   * where every transaction takes the write lock when it begins
   * @returns whether it was added
   */
  insert(
    key: KeyRecord,
    secretHash: string,
    onlyIfNone: boolean,
    beforeCommit: () => void,
  ): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      if (onlyIfNone && (await this.hasAny(trx))) return false;
      const { createdAtMs, ...columns } = key;
      await trx
        .insertInto('api_keys')
        .values({ ...columns, created_at_ms: createdAtMs })
        .execute();
      await insertSecret(trx, key.id, secretHash, createdAtMs);
      beforeCommit();
      return true;
    });
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

  find(keyId: string): Promise<KeyRecord | undefined> {
    return this.db.selectFrom('api_keys').where('id', '=', keyId).select(KEY_RECORD).executeTakeFirst();
  }

  async hasAny(db: Kysely<AccountsDatabase> = this.db): Promise<boolean> {
    return (await db.selectFrom('api_keys').select('id').limit(1).executeTakeFirst()) !== undefined;
  }

  /** All keys, oldest first. */
  list(): Promise<KeyRecord[]> {
    return this.db.selectFrom('api_keys').select(KEY_RECORD).orderBy('created_at_ms').orderBy('id').execute();
  }

  /** Sets the state of a key; the changed record, or nothing for an unknown key and for a revoked one that is to leave that state. */
  setState(keyId: string, state: KeyState): Promise<KeyRecord | undefined> {
    return this.db
      .updateTable('api_keys')
      .set({ state })
      .where('id', '=', keyId)
      .$if(state !== 'revoked', (query) => query.where('state', '!=', 'revoked'))
      .returning(KEY_RECORD)
      .executeTakeFirst();
  }

  /**
   * Gives a key that is not revoked a new secret; earlier ones stay valid no longer than to `oldValidUntilMs`.
   * The changed record, or nothing if there was none to change.
   */
  async replaceSecret(
    keyId: string,
    next: { readonly hash: string; readonly display: string; readonly createdAtMs: number },
    oldValidUntilMs: number,
    beforeCommit: (key: KeyRecord) => void,
  ): Promise<KeyRecord | undefined> {
    return this.db.transaction().execute(async (trx) => {
      // The record first: its row lock serialises two rotations of one key.
      const key = await trx
        .updateTable('api_keys')
        .set({ display: next.display })
        .where('id', '=', keyId)
        .where('state', '!=', 'revoked')
        .returning(KEY_RECORD)
        .executeTakeFirst();
      if (key === undefined) return undefined;
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
      await insertSecret(trx, keyId, next.hash, next.createdAtMs);
      beforeCommit(key);
      return key;
    });
  }
}

async function insertSecret(
  trx: Transaction<AccountsDatabase>,
  keyId: string,
  hash: string,
  createdAtMs: number,
): Promise<void> {
  await trx
    .insertInto('key_secrets')
    .values({ hash, key_id: keyId, created_at_ms: createdAtMs, valid_until_ms: null })
    .execute();
}
