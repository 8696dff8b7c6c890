import type { Kysely, Transaction } from 'kysely';
import type { AccountDump } from './account-dump.js';
import type { DumpStore } from './account-store.js';
import type { AccountsDatabase } from './schema.js';

/** Keeps a statement below SQLite's limit of 32,766 parameters. */
const ROWS_PER_STATEMENT = 1000;

/** Export and import as queries for any SQL database with a kysely dialect. */
export class SqlDumpStore implements DumpStore {
  constructor(private readonly db: Kysely<AccountsDatabase>) {}

  async read(): Promise<AccountDump> {
    const { keys, secrets, usage } = await this.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (trx) => ({
        keys: await trx.selectFrom('api_keys').selectAll().orderBy('created_at_ms').orderBy('id').execute(),
        secrets: await trx.selectFrom('key_secrets').selectAll().orderBy('created_at_ms').execute(),
        usage: await trx.selectFrom('daily_usage').selectAll().orderBy('day').execute(),
      }));
    const secretsOf = byKey(secrets);
    const usageOf = byKey(usage);
    return {
      format: 'nurselog-accounts/1',
      keys: keys.map((key) => ({
        ...key,
        secrets: (secretsOf.get(key.id) ?? []).map(({ key_id, ...secret }) => secret),
        usage: (usageOf.get(key.id) ?? []).map(({ day, requests }) => ({ day, requests })),
      })),
    };
  }

  async write({ keys }: AccountDump): Promise<string[]> {
    return this.db.transaction().execute(async (trx) => {
      const known = await knownAmong(trx, keys);
      if (known.length > 0) return known;
      for (const rows of chunks(keys.map(({ secrets, usage, ...key }) => key))) {
        await trx.insertInto('api_keys').values(rows).execute();
      }
      for (const rows of chunks(
        keys.flatMap(({ id, secrets }) => secrets.map((each) => ({ ...each, key_id: id }))),
      )) {
        await trx.insertInto('key_secrets').values(rows).execute();
      }
      const usage = keys.flatMap(({ id, usage }) =>
        usage.map((each) => ({ ...each, key_id: id, last_granted: 0 })),
      );
      for (const rows of chunks(usage)) await trx.insertInto('daily_usage').values(rows).execute();
      return [];
    });
  }
}

function byKey<Row extends { key_id: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const grouped = new Map<string, Row[]>();
  for (const row of rows) {
    const group = grouped.get(row.key_id);
    if (group === undefined) grouped.set(row.key_id, [row]);
    else group.push(row);
  }
  return grouped;
}

/** The ids of keys that the database holds, or of which it holds a secret. */
async function knownAmong(trx: Transaction<AccountsDatabase>, keys: AccountDump['keys']): Promise<string[]> {
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
