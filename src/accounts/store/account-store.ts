import type { Kysely } from 'kysely';
import { ExplainedError } from '../../output/explained-error.js';
import type { KeyRecord } from '../api-key.js';
import { openPostgres } from './postgres.js';
import { type AccountsDatabase, KEY_RECORD, NewerSchemaError } from './schema.js';
import { openSqlite } from './sqlite.js';
import { StoreUnavailableError } from './store-errors.js';

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
 * @throws ExplainedError with the file or variable and the reason
 */
export async function openStore(databaseUrl: string, must?: 'exist' | 'write'): Promise<AccountStore> {
  if (!isEmbedded(databaseUrl)) {
    const db = await openPostgres(databaseUrl).catch((error) => {
      throw openError('of DATABASE_URL', error); // its password may be anywhere in one that is wrong
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
    throw openError(`${path} of DATABASE_URL`, error, remedy);
  }
}

/** @param store the variable that names it, after the file of an embedded one @param remedy what to do about it */
function openError(store: string, cause: unknown, remedy = ''): ExplainedError {
  const reason = cause instanceof StoreUnavailableError ? cause.reason : (cause as Error).message;
  return new ExplainedError(`the key store ${store} cannot be used: ${reason}${remedy}`, { cause });
}

/** A key on a UTC day. */
export interface KeyDay {
  readonly keyId: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

export const keyDayName = ({ keyId, day }: KeyDay) => `${keyId} ${day}`;

/** Requests of one key on one UTC day. */
export interface DayUsage extends KeyDay {
  readonly requests: number;
}

/** Filters a listing of usage; absent members do not filter. */
export interface UsageFilter {
  readonly keyId?: string | undefined;
  readonly day?: string | undefined;
}

const DAY_USAGE = ['key_id as keyId', 'day', 'requests'] as const;

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
  constructor(readonly db: Kysely<AccountsDatabase>) {}

  /** The matches among some hashes, in any order; unknown hashes are left out. */
  findSecrets(hashes: readonly string[]): Promise<SecretMatch[]> {
    return this.db
      .selectFrom('key_secrets')
      .innerJoin('api_keys', 'api_keys.id', 'key_secrets.key_id')
      .where('hash', 'in', hashes)
      .select(['hash', 'valid_until_ms as validUntilMs', ...KEY_RECORD])
      .execute();
  }

  /**
   * Grants as many of a key's requests as its daily limit allows, in one atomic statement.
   * @returns how many are admitted, 0 to all, and the day's count including them
   */
  async claim(
    { keyId, day, requests }: DayUsage,
    limit: number,
  ): Promise<{ readonly granted: number; readonly used: number }> {
    const first = Math.min(requests, limit);
    const row = await this.db
      .insertInto('daily_usage')
      .values({ key_id: keyId, day, requests: first, last_granted: first })
      .onConflict((conflict) =>
        conflict
          .columns(['key_id', 'day'])
          .doUpdateSet((eb) => {
            const used = eb.ref('daily_usage.requests');
            const left = eb(eb.val(limit), '-', used);
            const grant = eb.case().when(left, '<', requests).then(left).else(requests).end();
            return { requests: eb(used, '+', grant), last_granted: grant };
          })
          .where('daily_usage.requests', '<', limit),
      )
      .returning(['requests as used', 'last_granted as granted'])
      .executeTakeFirst();
    // No row is returned if the day's limit was reached before: then nothing was written.
    return row ?? { granted: 0, used: limit };
  }

  /**
   * Adds (or, negative, subtracts) requests regardless of the limit; the new counts in any order. No count falls below 0,
   * as that of a request would whose refund comes after a backup without it was restored.
   */
  addRequests(changes: readonly DayUsage[]): Promise<DayUsage[]> {
    return this.db
      .insertInto('daily_usage')
      .values(
        changes.map(({ keyId, day, requests }) => ({
          key_id: keyId,
          day,
          requests: Math.max(0, requests),
          last_granted: requests, // for the update below, where `requests` is no longer the change
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['key_id', 'day']).doUpdateSet((eb) => {
          const sum = eb('daily_usage.requests', '+', eb.ref('excluded.last_granted'));
          return { requests: eb.case().when(sum, '<', 0).then(0).else(sum).end() };
        }),
      )
      .returning(DAY_USAGE)
      .execute();
  }

  /** The counts of keys on days, in their order. */
  async requestCounts(wanted: readonly KeyDay[]): Promise<number[]> {
    const distinct = (values: readonly string[]) => [...new Set(values)];
    const rows = await this.db
      .selectFrom('daily_usage')
      .select(DAY_USAGE)
      .where('key_id', 'in', distinct(wanted.map(({ keyId }) => keyId)))
      .where('day', 'in', distinct(wanted.map(({ day }) => day)))
      .execute();
    const counts = new Map(rows.map((row) => [keyDayName(row), row.requests]));
    return wanted.map((each) => counts.get(keyDayName(each)) ?? 0);
  }

  /** Usage by key and day, oldest day first. */
  listUsage({ keyId, day }: UsageFilter): Promise<DayUsage[]> {
    let query = this.db.selectFrom('daily_usage').select(DAY_USAGE);
    if (keyId !== undefined) query = query.where('key_id', '=', keyId);
    if (day !== undefined) query = query.where('day', '=', day);
    return query.orderBy('day').orderBy('key_id').execute();
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
