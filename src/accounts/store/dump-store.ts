import type { Kysely } from 'kysely';
import type { AccountDump } from './account-dump.js';
import type { AccountsDatabase } from './schema.js';
import { isConstraintViolation } from './store-errors.js';

/** Keeps a statement below SQLite's limit of 32,766 parameters. */
const ROWS_PER_STATEMENT = 1000;

/** Export and import of a whole store. */
export class DumpStore {
  constructor(private readonly db: Kysely<AccountsDatabase>) {}

  /** All keys, secrets and counts, as of one moment. */
  async read(): Promise<AccountDump> {
    const { keys, secrets, usage } = await this.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => ({
        keys: await trx.selectFrom('api_keys').selectAll().orderBy('created_at_ms').orderBy('id').execute(),
        secrets: await trx.selectFrom('key_secrets').selectAll().orderBy('created_at_ms').execute(),
        usage: await trx.selectFrom('daily_usage').selectAll().orderBy('day').execute(),
      }));
    const dumps = new Map<string, AccountDump['keys'][number]>();
    for (const key of keys) dumps.set(key.id, { ...key, secrets: [], usage: [] });
    for (const { key_id, ...secret } of secrets) dumps.get(key_id)?.secrets.push(secret);
    for (const { key_id, day, requests } of usage) dumps.get(key_id)?.usage.push({ day, requests });
    return { format: 'nurselog-accounts/1', keys: [...dumps.values()] };
  }

  /** Adds a whole dump or, if the store has some of its keys or their secrets, nothing; the ids of those. */
  async write({ keys }: AccountDump): Promise<string[]> {
    const write = this.db.transaction().execute(async (trx) => {
      const known = await knownAmong(trx, keys);
      if (known.length > 0) return known;
      const records = keys.map(({ secrets, usage, ...key }) => key);
      const secrets = keys.flatMap(({ id, secrets }) => secrets.map((each) => ({ ...each, key_id: id })));
      const usage = keys.flatMap(({ id, usage }) =>
        usage.map((each) => ({ ...each, key_id: id, last_granted: 0 })),
      );
      for (const rows of chunks(records)) await trx.insertInto('api_keys').values(rows).execute();
      for (const rows of chunks(secrets)) await trx.insertInto('key_secrets').values(rows).execute();
      for (const rows of chunks(usage)) await trx.insertInto('daily_usage').values(rows).execute();
      return [];
    });
    return write.catch(async (error) => {
      // Another import may have added the keys meanwhile.
      const known = isConstraintViolation(error) ? await knownAmong(this.db, keys) : [];
      if (known.length > 0) return known;
      throw error;
    });
  }
}

/** The ids of keys that the database holds, or of which it holds a secret. */
async function knownAmong(trx: Kysely<AccountsDatabase>, keys: AccountDump['keys']): Promise<string[]> {
  const ids = new Set<string>();
  for (const some of chunks(keys.map(({ id }) => id))) {
    const rows = await trx.selectFrom('api_keys').select('id').where('id', 'in', some).execute();
    for (const { id } of rows) ids.add(id);
  }
  const hashes = new Set<string>();
  for (const some of chunks(keys.flatMap(({ secrets }) => secrets.map(({ hash }) => hash)))) {
    const rows = await trx.selectFrom('key_secrets').select('hash').where('hash', 'in', some).execute();
    for (const { hash } of rows) hashes.add(hash);
  }
  return keys
    .filter(({ id, secrets }) => ids.has(id) || secrets.some(({ hash }) => hashes.has(hash)))
    .map(({ id }) => id);
}

function* chunks<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    yield rows.slice(start, start + ROWS_PER_STATEMENT);
  }
}
