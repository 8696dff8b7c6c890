import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import type { KeyRecord } from '../api-key.js';

/** The tables, the same in SQLite and PostgreSQL. */
export interface AccountsDatabase {
  api_keys: Omit<KeyRecord, 'createdAtMs'> & { created_at_ms: number };
  key_secrets: {
    /** SHA-256 of the key, hexadecimal. */
    hash: string;
    key_id: string;
    created_at_ms: number;
    /** Null for the current secret of a key. */
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
  '0001_keys_secrets_usage': {
    // The type parameter is `unknown` because a migration must not follow the schema as it is today.
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('api_keys')
        .addColumn('id', 'text', (column) => column.primaryKey().notNull())
        .addColumn('tier', 'text', (column) =>
          column.notNull().check(sql`tier in ('spore', 'mycel', 'hypha')`),
        )
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) =>
          column.notNull().check(sql`state in ('active', 'deactivated', 'revoked')`),
        )
        .addColumn('display', 'text', (column) => column.notNull())
        .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
        .execute();

      await db.schema
        .createTable('key_secrets')
        .addColumn('hash', 'text', (column) => column.primaryKey().notNull())
        .addColumn('key_id', 'text', (column) => column.notNull().references('api_keys.id'))
        .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
        .addColumn('valid_until_ms', 'bigint')
        .execute();
      await db.schema.createIndex('key_secrets_by_key').on('key_secrets').column('key_id').execute();

      await db.schema
        .createTable('daily_usage')
        .addColumn('key_id', 'text', (column) => column.notNull().references('api_keys.id'))
        .addColumn('day', 'text', (column) => column.notNull())
        .addColumn('requests', 'bigint', (column) => column.notNull())
        .addColumn('last_granted', 'bigint', (column) => column.notNull().defaultTo(0))
        .addPrimaryKeyConstraint('daily_usage_key', ['key_id', 'day'])
        .execute();

      // Not used any more.
      await db.schema
        .createTable('first_key')
        .addColumn('singleton', 'integer', (column) =>
          column.primaryKey().notNull().check(sql`singleton = 1`),
        )
        .execute();
    },
  },

  '0002_write_checks': {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('write_checks')
        .addColumn('singleton', 'integer', (column) =>
          column.primaryKey().notNull().check(sql`singleton = 1`),
        )
        .addColumn('checks', 'bigint', (column) => column.notNull())
        .execute();
    },
  },
};

/** A newer release has changed the schema of the store, which this release cannot use any more. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';

  /** @param migration the change that this release does not know */
  constructor(migration: string) {
    super(
      `a newer release of nurselog has changed its schema (${migration}). ` +
        'Start that release, or export the keys with it and import them into an empty store with this one.',
    );
  }
}

/** What kysely says of a migration that the store has and this release does not know. */
const UNKNOWN_MIGRATION = /previously executed migration (\S+) is missing/;

/**
 * Brings the schema up to date. The dialect's lock serialises processes that start together, so each migration runs
 * once. Rejects with the error of the migration that failed, and with NewerSchemaError.
 */
export async function migrate<Database>(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateToLatest();
  const unknown = UNKNOWN_MIGRATION.exec(error instanceof Error ? error.message : '')?.[1];
  if (unknown !== undefined) throw new NewerSchemaError(unknown);
  if (error !== undefined) throw error;
}
