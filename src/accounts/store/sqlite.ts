import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
  type TransactionSettings,
} from 'kysely';
import Libsql from 'libsql';
import { LRUCache } from 'lru-cache';
import { type AccountsDatabase, migrate } from './schema.js';
import { StoreUnavailableError } from './store-errors.js';

/** How long to wait for the lock of another process: several hundred times the duration of one of our writes. */
const LOCK_TIMEOUT_MS = 2000;
const LOCK_RETRY_MS = 2;

/** Opens a SQLite file and migrates it. If it is missing, it is created with its folder unless it `mustExist`. */
export async function openSqlite(path: string, mustExist: boolean): Promise<Kysely<AccountsDatabase>> {
  if (mustExist) statSync(path);
  else makeFolder(dirname(path));
  const database = new LibsqlDatabase(path);
  await database.attempt(() => configure(database)); // another process may be opening or recovering the file
  const db = new Kysely<AccountsDatabase>({ dialect: sharedSqliteDialect(database) });
  await migrate(db);
  return db;
}

/** Recursive, because mkdirSync's own recursion never ends below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process created it first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function configure(database: LibsqlDatabase): void {
  database.pragma('busy_timeout = 0'); // `attempt` does the waiting
  // Readers and the writer do not block each other.
  database.pragma('journal_mode = wal');
  // Commits survive a killed process. They survive a power cut only from the next checkpoint on, at the latest the one
  // at the end of every keys command: syncing the disk for each request would delay all others.
  database.pragma('synchronous = normal');
  database.pragma('foreign_keys = on');
  const soundness = database.pragma('quick_check(1)');
  if (soundness !== 'ok') throw new Error(String(soundness).replaceAll('\n', ' '));
}

/**
 * kysely's SQLite dialect for a file that several processes write to: every transaction takes the write lock when it
 * begins, unless it is read-only. Otherwise a transaction that reads before it writes fails, instead of waiting, when
 * another process wrote in between. The lock also serialises migrations, which kysely runs in one transaction where the
 * adapter allows it.
 */
export function sharedSqliteDialect(database: LibsqlDatabase): Dialect {
  return Object.assign(new SqliteDialect({ database }), {
    createDriver: () => new SharedSqliteDriver(database),
    createAdapter: () =>
      Object.defineProperty(new SqliteAdapter(), 'supportsTransactionalDdl', { value: true }),
  });
}

/**
 * Takes the write lock. It must not be prepared: libsql does not reset a prepared statement that finds the file locked,
 * and until that is reset SQLite commits nothing on the connection.
 */
const BEGIN = 'begin immediate';
const WRITE = /^\s*(insert|update|delete)\b/i;

class SharedSqliteDriver extends SqliteDriver {
  constructor(private readonly database: LibsqlDatabase) {
    super({ database });
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const askedMs = performance.now();
    const connection = await super.acquireConnection();
    const timeoutMs = LOCK_TIMEOUT_MS - (performance.now() - askedMs); // others may have waited for the lock
    return {
      executeQuery: <Row>(query: CompiledQuery) =>
        this.database.attempt(() => this.#execute<Row>(connection, query), timeoutMs),
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    };
  }

  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings) {
    const begin = settings?.accessMode === 'read only' ? 'begin' : BEGIN;
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  /** Executes a query. A write outside a transaction gets a transaction of its own. */
  async #execute<Row>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<Row>> {
    const { connection: database } = this.database;
    const isBegin = query.sql === BEGIN;
    if (!isBegin && (database.inTransaction || !WRITE.test(query.sql))) return connection.executeQuery(query);
    database.exec(BEGIN);
    if (isBegin) return { rows: [] };
    try {
      return await connection.executeQuery(query);
    } finally {
      // Also after an error, by which the statement changed nothing. On a full disk SQLite may have rolled back itself.
      if (database.inTransaction) database.exec('commit');
    }
  }

  /** When the disk is full SQLite rolls back itself, and the statement that failed has reported the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.database.connection.inTransaction) await super.rollbackTransaction(connection);
  }
}

/** Result codes caused by the machine and not by the statement: https://www.sqlite.org/rescode.html */
const UNAVAILABLE =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|NOLFS|PROTOCOL|NOMEM|PERM)/;

function isUnavailable(error: unknown): error is InstanceType<typeof Libsql.SqliteError> {
  return error instanceof Libsql.SqliteError && UNAVAILABLE.test(error.code);
}

/** Whether another process holds the lock of the file, which is sound. */
export function isLocked(error: unknown): boolean {
  return isUnavailable(error) && error.code.startsWith('SQLITE_BUSY');
}

/** A libsql connection for kysely. It keeps prepared statements, since preparation is half the cost of a short query. */
export class LibsqlDatabase implements SqliteDatabase {
  readonly connection: Libsql.Database;
  readonly #inode: number;
  readonly #statements = new LRUCache<string, SqliteStatement>({
    max: 64,
    memoMethod: (sql) => this.connection.prepare<unknown[]>(sql),
  });

  /** Opens a file and creates it if it is missing. @throws StoreUnavailableError if SQLite cannot open it */
  constructor(private readonly path: string) {
    try {
      this.connection = new Libsql(path);
    } catch (error) {
      // libsql names no reason, only the number of SQLite's code.
      throw new StoreUnavailableError('SQLite cannot open the file', error);
    }
    this.#inode = statSync(path).ino;
  }

  prepare(sql: string): SqliteStatement {
    return this.#statements.memo(sql);
  }

  /**
   * Repeats a call while another process holds the lock, without blocking this one: SQLite's own busy timeout sleeps inside
   * the call, and does not apply to a change of the journal mode. @param timeoutMs how long it is repeated
   * @throws StoreUnavailableError for a failure of the machine, and what else the call throws
   */
  async attempt<Result>(call: () => Result | Promise<Result>, timeoutMs = LOCK_TIMEOUT_MS): Promise<Result> {
    // SQLite would keep using a file that other processes can no longer see.
    if (statSync(this.path, { throwIfNoEntry: false })?.ino !== this.#inode)
      throw new StoreUnavailableError(
        `${this.path} was removed or replaced: restart, or put it back`,
        undefined,
      );
    const endMs = performance.now() + timeoutMs;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (!isLocked(error) || performance.now() >= endMs)
          throw new StoreUnavailableError(`${error.message} in ${this.path} (${error.code})`, error);
      }
      await sleep(LOCK_RETRY_MS);
    }
  }

  /** The value in the first column of the first row of a pragma's result. */
  pragma(pragma: string): unknown {
    const [row] = this.prepare(`pragma ${pragma}`).all([]) as Record<string, unknown>[];
    return row && Object.values(row)[0];
  }

  close(): void {
    try {
      // Afterwards the write-ahead log is empty and a copy of the one file is a complete backup.
      this.pragma('wal_checkpoint(truncate)');
    } catch (error) {
      // Such as a full disk. Nothing is lost: what was committed is read from the log when the file is opened again.
      if (!isUnavailable(error)) throw error;
    }
    // libsql closes the file when the last statement is released.
    this.#statements.clear();
    this.connection.close();
  }
}
