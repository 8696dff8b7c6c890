import { type Kysely, Migrator } from 'kysely';
import { MIGRATIONS } from './migrations.js';

/**
 * Brings the schema up to date. Processes that start together take turns under the dialect's lock, so each migration
 * runs once. Rejects with what the failing migration was rejected with.
 */
export async function migrate<Database>(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
