import { randomBytes } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { displayForm } from '../../output/printable.js';
import { generateKey, hashKey, type KeyRecord, type KeyState } from '../api-key.js';
import type { Clock } from '../clock.js';
import type { Tier } from '../tiers.js';
import { type AccountDump, readDump, writeDump } from './account-dump.js';
import { type AccountStore, DAY_USAGE, type DayUsage, type KeyDay } from './account-store.js';
import type { AccountsDatabase } from './schema.js';
import { isConstraintViolation } from './store-errors.js';

/** A key with its secret: the only time the secret can be shown. */
export interface IssuedKey {
  readonly key: KeyRecord;
  readonly secret: string;
}

/** A rotated key, and until when the old secret is accepted. */
interface RotatedKey extends IssuedKey {
  /** Epoch milliseconds; `null` if the old secret is refused from now on. */
  readonly oldSecretValidUntilMs: number | null;
}

/** Shows a secret to its owner. Called before the change is committed: if it throws, nothing is changed. */
type Show<Issued extends IssuedKey> = (issued: Issued) => void;

/**
 * Issues and changes keys for operators. Every running service applies a change within 5 seconds. A method rejects where a key
 * is unknown or revoked, or imported and known already, with an error whose message says what to do.
 */
export class KeyAdministration {
  constructor(
    private readonly store: AccountStore,
    private readonly clock: Clock,
  ) {}

  /** Issues an active key. Rejects with what `show` throws. */
  async issue(tier: Tier, owner: string, show: Show<IssuedKey> = () => {}): Promise<IssuedKey> {
    const issued = this.#newKey(tier, owner);
    await this.store.db.transaction().execute((trx) => insertKey(trx, issued, show));
    return issued;
  }

  /**
   * The same if an embedded store holds no key. Of several processes at once only one issues it: every transaction takes
   * the write lock when it begins.
   * @returns whether it did
   */
  issueFirst(tier: Tier, owner: string, show: Show<IssuedKey> = () => {}): Promise<boolean> {
    return this.store.db.transaction().execute(async (trx) => {
      if (await this.hasKeys(trx)) return false;
      await insertKey(trx, this.#newKey(tier, owner), show);
      return true;
    });
  }

  /** Whether the store has any key, in whatever state. */
  async hasKeys(db = this.store.db): Promise<boolean> {
    return (await db.selectFrom('api_keys').select('id').limit(1).executeTakeFirst()) !== undefined;
  }

  /** All keys, oldest first. */
  list(): Promise<KeyRecord[]> {
    const keys = this.store.db.selectFrom('api_keys').selectAll();
    return keys.orderBy('created_at_ms').orderBy('id').execute();
  }

  /** Sets the state of a key; a key already in that state is unchanged. */
  async setState(keyId: string, state: KeyState): Promise<KeyRecord> {
    const key = await this.store.db
      .updateTable('api_keys')
      .set({ state })
      .where('id', '=', keyId)
      .$if(state !== 'revoked', (query) => query.where('state', '!=', 'revoked'))
      .returningAll()
      .executeTakeFirst();
    return key ?? this.#refuse(keyId);
  }

  /**
   * Gives a key a new secret. Its tier, owner, state and the day's count are kept; older secrets are refused at once, or
   * after `overlapMs`. Rejects with what `show` throws, too.
   */
  async rotate(keyId: string, overlapMs: number, show: Show<RotatedKey> = () => {}): Promise<RotatedKey> {
    const nowMs = this.clock.nowMs();
    const secret = generateKey();
    const untilMs = nowMs + overlapMs;
    const rotated = await this.store.db.transaction().execute(async (trx) => {
      // The record first: its row lock serialises two rotations of one key.
      const key = await trx
        .updateTable('api_keys')
        .set({ display: displayForm(secret) })
        .where('id', '=', keyId)
        .where('state', '!=', 'revoked')
        .returningAll()
        .executeTakeFirst();
      if (key === undefined) return undefined;
      await sql`
        update key_secrets set valid_until_ms = ${untilMs}
        where key_id = ${keyId} and (valid_until_ms is null or valid_until_ms > ${untilMs})`.execute(trx);
      // Secrets that are no longer valid are not kept.
      await sql`delete from key_secrets where key_id = ${keyId} and valid_until_ms <= ${nowMs}`.execute(trx);
      await insertSecret(trx, keyId, secret, nowMs);
      const rotated = { key, secret, oldSecretValidUntilMs: overlapMs > 0 ? untilMs : null };
      show(rotated);
      return rotated;
    });
    return rotated ?? this.#refuse(keyId);
  }

  /** Requests by key and day, oldest day first; of all keys or days where none is given. */
  async usage({ keyId, day }: { [Name in keyof KeyDay]?: string | undefined }): Promise<DayUsage[]> {
    if (keyId !== undefined && !(await this.#isKnown(keyId))) return this.#refuse(keyId);
    let query = this.store.db.selectFrom('daily_usage').select(DAY_USAGE);
    if (keyId !== undefined) query = query.where('key_id', '=', keyId);
    if (day !== undefined) query = query.where('day', '=', day);
    return query.orderBy('day').orderBy('key_id').execute();
  }

  /** The whole store, for import into another. */
  export(): Promise<AccountDump> {
    return readDump(this.store.db);
  }

  /** Adds everything that another store exported, or nothing. */
  async import(dump: AccountDump): Promise<void> {
    try {
      await writeDump(this.store.db, dump);
    } catch (error) {
      if (!isConstraintViolation(error)) throw error;
      throw new Error(
        'the store already has keys or secrets of the file; nothing was imported: use an empty store',
        { cause: error },
      );
    }
  }

  #newKey(tier: Tier, owner: string): IssuedKey {
    const secret = generateKey();
    const id = `key_${randomBytes(6).toString('hex')}`;
    const display = displayForm(secret);
    return { key: { id, tier, owner, state: 'active', display, created_at_ms: this.clock.nowMs() }, secret };
  }

  async #isKnown(keyId: string): Promise<boolean> {
    const key = this.store.db.selectFrom('api_keys').where('id', '=', keyId).select('id');
    return (await key.executeTakeFirst()) !== undefined;
  }

  async #refuse(keyId: string): Promise<never> {
    throw new Error(
      (await this.#isKnown(keyId))
        ? `key ${keyId} is revoked, which is final; issue a new key to its owner instead`
        : `there is no key ${keyId}; "keys list" shows the ids of all keys`,
    );
  }
}

async function insertKey(
  trx: Transaction<AccountsDatabase>,
  issued: IssuedKey,
  show: Show<IssuedKey>,
): Promise<void> {
  const { key, secret } = issued;
  await trx.insertInto('api_keys').values(key).execute();
  await insertSecret(trx, key.id, secret, key.created_at_ms);
  show(issued);
}

async function insertSecret(
  trx: Transaction<AccountsDatabase>,
  keyId: string,
  secret: string,
  createdAtMs: number,
): Promise<void> {
  await trx
    .insertInto('key_secrets')
    .values({ hash: hashKey(secret), key_id: keyId, created_at_ms: createdAtMs, valid_until_ms: null })
    .execute();
}
