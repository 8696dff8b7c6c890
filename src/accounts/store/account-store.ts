import { resolve } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { ExplainedError } from '../../output/explained-error.js';
import type { KeyRecord } from '../api-key.js';
import { openPostgres } from './postgres.js';
import { type AccountsDatabase, NewerSchemaError } from './schema.js';
import { isLocked, openSqlite } from './sqlite.js';
import { StoreUnavailableError } from './store-errors.js';

const SQLITE = 'sqlite:';

const FILE_REMEDY =
  '. It must be a SQLite database file that this user may write to, in a folder this user may write to, on a disk that is not full; else restore it from a backup or move it away.';

/** The absolute path of the embedded store that a database URL names, a file on this machine; undefined for PostgreSQL. */
export function fileOf(databaseUrl: string): string | undefined {
  return databaseUrl.startsWith(SQLITE) ? resolve(databaseUrl.slice(SQLITE.length)) : undefined;
}

/**
 * Opens the store that a database URL names and brings its schema up to date.
 * @param databaseUrl `sqlite:PATH` or `postgres://…`, as the configuration ensures
 * @param must `exist`: an embedded store is not created if it is missing, and a query may take minutes, as for an export.
 *   `write`: it must take writes, since the service could not count requests in a store that is read-only
 * @throws ExplainedError with the file or variable and the reason
 */
export async function openStore(databaseUrl: string, must?: 'exist' | 'write'): Promise<AccountStore> {
  const file = fileOf(databaseUrl);
  try {
    if (file === undefined) return new AccountStore(await openPostgres(databaseUrl, must === 'exist'));
    const store = new AccountStore(await openSqlite(file, must === 'exist'));
    if (must === 'write') await store.checkWrites();
    return store;
  } catch (error) {
    const reason = error instanceof StoreUnavailableError ? error.reason : (error as Error).message;
    const isSound = error instanceof NewerSchemaError || isLocked((error as Error).cause);
    const remedy = file === undefined || isSound ? '' : FILE_REMEDY;
    // No other URL is shown: its password may be anywhere in one that is wrong.
    const name = file === undefined ? 'of DATABASE_URL' : `${file} of DATABASE_URL`;
    throw new ExplainedError(`the key store ${name} cannot be used: ${reason}${remedy}`, { cause: error });
  }
}

export interface KeyDay {
  readonly keyId: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

export const keyDayName = ({ keyId, day }: KeyDay) => `${keyId} ${day}`;

export interface DayUsage extends KeyDay {
  readonly requests: number;
}

export type SecretMatch = KeyRecord & Pick<AccountsDatabase['key_secrets'], 'hash' | 'valid_until_ms'>;

/** Keeps a statement below SQLite's limit of 32,766 parameters. */
const ROWS_PER_STATEMENT = 1000;

/** Rows in groups, each of which one statement can take. */
export function* chunks<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    yield rows.slice(start, start + ROWS_PER_STATEMENT);
  }
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
      .selectAll('api_keys')
      .select(['hash', 'valid_until_ms'])
      .execute();
  }

  /**
   * Grants as many of a key's requests as its daily limit allows, in one atomic statement.
   * @returns how many are admitted, 0 to all, and the day's count including them
   */
  async claim({ keyId, day, requests }: DayUsage, limit: number) {
    const first = Math.min(requests, limit);
    const { rows } = await sql<{ granted: number; used: number }>`
      insert into daily_usage (key_id, day, requests, last_granted)
      values (${keyId}, ${day}, ${first}, ${first})
      on conflict (key_id, day) do update set
        requests = case when daily_usage.requests + excluded.requests < ${limit}
          then daily_usage.requests + excluded.requests else ${limit} end,
        last_granted = case when daily_usage.requests + excluded.requests < ${limit}
          then excluded.requests else ${limit} - daily_usage.requests end
        where daily_usage.requests < ${limit}
      returning last_granted as granted, requests as used`.execute(this.db);
    // No row is returned if the day's limit was reached before: then nothing was written.
    return rows[0] ?? { granted: 0, used: limit };
  }

  /**
   * Adds requests regardless of the limit, or subtracts them if negative. No count falls below 0: a refund may come
   * after a backup was restored that does not have its request.
   */
  async addRequests(changes: readonly DayUsage[]): Promise<void> {
    // `last_granted` carries the change to the update, since the inserted `requests` must not be below 0.
    const values = changes.map(
      ({ keyId, day, requests }) => sql`(${keyId}, ${day}, ${Math.max(0, requests)}, ${requests})`,
    );
    await sql`
      insert into daily_usage (key_id, day, requests, last_granted) values ${sql.join(values)}
      on conflict (key_id, day) do update set
        requests = case when daily_usage.requests + excluded.last_granted < 0
          then 0 else daily_usage.requests + excluded.last_granted end`.execute(this.db);
  }

  /** The counts of keys on days, in their order. */
  async requestCounts(wanted: readonly KeyDay[]): Promise<number[]> {
    const pairs = new Map(wanted.map((each) => [keyDayName(each), sql`(${each.keyId}, ${each.day})`]));
    const { rows } = await sql<DayUsage>`
      select key_id as "keyId", day, requests from daily_usage
      where (key_id, day) in (values ${sql.join([...pairs.values()])})`.execute(this.db);
    const counts = new Map(rows.map((row) => [keyDayName(row), row.requests]));
    return wanted.map((each) => counts.get(keyDayName(each)) ?? 0);
  }

  /** Resolves if the database takes writes: one that is full or read-only still answers queries. */
  async checkWrites(): Promise<void> {
    // A row that would not change is not written.
    await sql`
      insert into write_checks (singleton, checks) values (1, 1)
      on conflict (singleton) do update set checks = write_checks.checks + 1`.execute(this.db);
    // Whether the table that requests are counted in can be written.
    await sql`update daily_usage set requests = requests where false`.execute(this.db);
  }

  close(): Promise<void> {
    return this.db.destroy();
  }
}
