import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import type { KeyRecord } from '../api-key.js';

/** The tables, the same in SQLite and PostgreSQL. */
export interface AccountsDatabase {
  api_keys: KeyRecord;
  key_secrets: {
    /** SHA-256 of the secret, 64 hexadecimal digits. */
    hash: string;
    key_id: string;
    created_at_ms: number;
    /** The moment from which a rotated secret is no longer valid; null for the current one. */
    valid_until_ms: number | null;
  };
  daily_usage: {
    key_id: string;
    /** `YYYY-MM-DD`, UTC. */
    day: string;
    requests: number;
    /** Requests granted by the last claim: its statement reads the grant from its own RETURNING. */
    last_granted: number;
  };
  /** At most one row: written to test whether the store takes writes. */
  write_checks: { singleton: 1; checks: number };
}

/** All changes of the schema, ordered by name. One that has shipped is never edited: add another. */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001_keys_secrets_usage': migration(
    `create table api_keys (
      id text not null primary key,
      tier text not null check (tier in ('spore', 'mycel', 'hypha')),
      owner text not null,
      state text not null check (state in ('active', 'deactivated', 'revoked')),
      display text not null,
      created_at_ms bigint not null
    )`,
    `create table key_secrets (
      hash text not null primary key,
      key_id text not null references api_keys (id),
      created_at_ms bigint not null,
      valid_until_ms bigint
    )`,
    'create index key_secrets_by_key on key_secrets (key_id)',
    `create table daily_usage (
      key_id text not null references api_keys (id),
      day text not null,
      requests bigint not null,
      last_granted bigint default 0 not null,
      constraint daily_usage_key primary key (key_id, day)
    )`,
    'create table first_key (singleton integer not null primary key check (singleton = 1))', // not used any more
  ),
  '0002_write_checks': migration(
    'create table write_checks (singleton integer not null primary key check (singleton = 1), checks bigint not null)',
  ),
};

function migration(...statements: string[]): Migration {
  return {
    async up(db) {
      for (const statement of statements) await sql.raw(statement).execute(db);
    },
  };
}

/** A newer release has changed the schema of the store, which this release cannot use any more. */
export class NewerSchemaError extends Error {}

/** kysely's message for a migration that this release does not know. */
const UNKNOWN_MIGRATION = /previously executed migration (\S+) is missing/;

/**
 * Brings the schema up to date. The dialect's lock serialises processes that start together, so each migration runs
 * once. Rejects with the error of the migration that failed, and with NewerSchemaError.
 */
export async function migrate<Database>(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateToLatest();
  const unknown = UNKNOWN_MIGRATION.exec(error instanceof Error ? error.message : '')?.[1];
  if (unknown !== undefined)
    throw new NewerSchemaError(
      `a newer release of nurselog has changed its schema (${unknown}). ` +
        'Start that release, or export the keys with it and import them into an empty store with this one.',
    );
  if (error !== undefined) throw error;
}
