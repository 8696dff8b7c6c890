import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { displayForm } from '../../output/printable.js';
import { generateKey, hashKey, type KeyRecord, type KeyState } from '../api-key.js';
import type { Tier } from '../tiers.js';
import type { AccountStore, DayUsage, KeyDay } from './account-store.js';
import type { AccountsDatabase } from './schema.js';

type Db = Kysely<AccountsDatabase>;

/** A key with its secret: the only time the secret can be shown. */
export interface IssuedKey {
  readonly key: KeyRecord;
  readonly secret: string;
}

/** Shows a secret to its owner. Called before the change is committed: if it throws, nothing is changed. */
type Show = (issued: IssuedKey) => void;

/**
 * Issues and changes keys for operators. Every running service applies a change within 5 seconds. A method rejects where a key
 * is unknown or revoked, with an error whose message says what to do.
 */
export class KeyAdministration {
  constructor(
    readonly store: AccountStore,
    private readonly nowMs: () => number,
  ) {}

  /** Issues an active key. Rejects with what `show` throws. */
  issue(tier: Tier, owner: string, show: Show = () => {}): Promise<IssuedKey> {
    return this.store.db.transaction().execute((trx) => this.#insertKey(trx, tier, owner, show));
  }

  /**
   * The same if an embedded store holds no key. Of several processes at once only one issues it: every transaction takes
   * the write lock when it begins.
   */
  issueFirst(tier: Tier, owner: string, show: Show): Promise<void> {
    return this.store.db.transaction().execute(async (trx) => {
      if (!(await this.hasKeys(trx))) await this.#insertKey(trx, tier, owner, show);
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
  setState(keyId: string, state: KeyState): Promise<KeyRecord> {
    return updateKey(this.store.db, keyId, { state });
  }

  /**
   * Gives a key a new secret. Its tier, owner, state and the day's count are kept; older secrets are refused at once, or
   * after `overlapMs`. Rejects with what `show` throws, too.
   * @param show also gets the end of the old secret's validity in epoch milliseconds, `null` if it is refused at once
   */
  rotate(
    keyId: string,
    overlapMs: number,
    show: (issued: IssuedKey, oldSecretValidUntilMs: number | null) => void = () => {},
  ): Promise<IssuedKey> {
    const nowMs = this.nowMs();
    const untilMs = nowMs + overlapMs;
    const secret = generateKey();
    return this.store.db.transaction().execute(async (trx) => {
      // The record first: its row lock serialises two rotations of one key.
      const key = await updateKey(trx, keyId, { display: displayForm(secret) });
      await sql`
        update key_secrets set valid_until_ms = ${untilMs}
        where key_id = ${keyId} and (valid_until_ms is null or valid_until_ms > ${untilMs})`.execute(trx);
      // Secrets that are no longer valid are not kept.
      await sql`delete from key_secrets where key_id = ${keyId} and valid_until_ms <= ${nowMs}`.execute(trx);
      await insertSecret(trx, keyId, secret, nowMs);
      show({ key, secret }, overlapMs > 0 ? untilMs : null);
      return { key, secret };
    });
  }

  /** Requests by key and day, oldest day first; of all keys or days where none is given. */
  async usage({ keyId, day }: { [Name in keyof KeyDay]?: string | undefined }): Promise<DayUsage[]> {
    let query = this.store.db.selectFrom('daily_usage').select(['key_id as keyId', 'day', 'requests']);
    if (keyId !== undefined) {
      await checkIsKnown(this.store.db, keyId);
      query = query.where('key_id', '=', keyId);
    }
    if (day !== undefined) query = query.where('day', '=', day);
    return query.orderBy('day').orderBy('key_id').execute();
  }

  async #insertKey(db: Db, tier: Tier, owner: string, show: Show) {
    const secret = generateKey();
    const id = `key_${randomBytes(6).toString('hex')}`;
    const display = displayForm(secret);
    const key: KeyRecord = { id, tier, owner, state: 'active', display, created_at_ms: this.nowMs() };
    await db.insertInto('api_keys').values(key).execute();
    await insertSecret(db, id, secret, key.created_at_ms);
    show({ key, secret });
    return { key, secret };
  }
}

async function insertSecret(db: Db, keyId: string, secret: string, createdAtMs: number): Promise<void> {
  const row = { hash: hashKey(secret), key_id: keyId, created_at_ms: createdAtMs, valid_until_ms: null };
  await db.insertInto('key_secrets').values(row).execute();
}

/** Changes a key that is not revoked. A revoked one can only be revoked again. */
async function updateKey(db: Db, keyId: string, change: Partial<KeyRecord>): Promise<KeyRecord> {
  const key = await db
    .updateTable('api_keys')
    .set(change)
    .where('id', '=', keyId)
    .$if(change.state !== 'revoked', (query) => query.where('state', '!=', 'revoked'))
    .returningAll()
    .executeTakeFirst();
  if (key !== undefined) return key;
  await checkIsKnown(db, keyId);
  throw new Error(`key ${keyId} is revoked, which is final; issue a new key to its owner instead`);
}

async function checkIsKnown(db: Db, keyId: string): Promise<void> {
  const key = await db.selectFrom('api_keys').where('id', '=', keyId).select('id').executeTakeFirst();
  if (key === undefined) throw new Error(`there is no key ${keyId}; "keys list" shows the ids of all keys`);
}
