import { type Kysely, type Migration, sql } from 'kysely';

/** Every change of the schema, in the order of its names. One that has shipped is never edited: add another. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
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
