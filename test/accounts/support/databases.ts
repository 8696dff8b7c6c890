import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.js';

/** A kind of database that the store's guarantees are tested on. */
export interface TestDatabase {
  readonly name: string;
  /** The URL of a new, empty database that lasts as long as the running test. */
  create(): Promise<string>;
  /** All that the database at a URL holds, as text; its stores are closed. */
  dump(url: string): Promise<string>;
}

const SQLITE: TestDatabase = {
  name: 'SQLite',
  create: async () => `sqlite:${join(temporaryFolder(), 'nurselog.db')}`,
  dump: async (url) => readFileSync(url.slice('sqlite:'.length), 'utf8'),
};

/** Every database that can be tested on here. */
export const DATABASES: readonly TestDatabase[] = [SQLITE];
