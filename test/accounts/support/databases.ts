import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../../support/service-process.js';

/** A kind of database that the store's guarantees are tested on. */
export interface TestDatabase {
  readonly name: string;
  /** The URL of a new, empty database that lasts as long as the running test. */
  create(): Promise<string>;
  /** Runs SQL statements as an operator would, while stores have the database open. */
  execute(url: string, sql: string): Promise<void>;
  /** The whole content of the database at a URL, as text; its stores must be closed. */
  dump(url: string): Promise<string>;
}

export const SQLITE: TestDatabase = {
  name: 'SQLite',
  create: async () => `sqlite:${join(temporaryFolder(), 'nurselog.db')}`,
  async execute(url, sql) {
    const database = new Libsql(fileOf(url));
    database.exec(sql);
    database.close();
  },
  dump: async (url) => readFileSync(fileOf(url), 'utf8'),
};

function fileOf(url: string): string {
  return url.slice('sqlite:'.length);
}

/** Names the server to test PostgreSQL on; without it only the embedded store is tested. */
const SERVER_URL = process.env.TEST_POSTGRES_URL;

/** Can be created only where `HAS_POSTGRES`. */
export const POSTGRES: TestDatabase = {
  name: 'PostgreSQL',
  async create() {
    const name = `nurselog_test_${randomBytes(6).toString('hex')}`;
    await onServer(SERVER_URL!, `create database ${name}`);
    onTestFinished(async () => {
      await onServer(SERVER_URL!, `drop database ${name} with (force)`);
    });
    const url = new URL(SERVER_URL!);
    url.pathname = name;
    return url.href;
  },
  async execute(url, sql) {
    await onServer(url, sql);
  },
  async dump(url) {
    const tables = ['api_keys', 'key_secrets', 'daily_usage'];
    const rows = await Promise.all(tables.map((table) => onServer(url, `select * from ${table}`)));
    return JSON.stringify(rows);
  },
};

async function onServer(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Whether there is a PostgreSQL server to test on. */
export const HAS_POSTGRES = SERVER_URL !== undefined;

/** Every database that can be tested on here. */
export const DATABASES: readonly TestDatabase[] = HAS_POSTGRES ? [SQLITE, POSTGRES] : [SQLITE];
