import type { SqliteDatabase, SqliteStatement } from 'kysely';
import Libsql from 'libsql';
import { LRUCache } from 'lru-cache';
import { StoreBusyError, StoreUnavailableError } from '../store-errors.js';

const STATEMENT_CACHE_SIZE = 64;

/** Result codes caused by the machine and not by the statement: https://www.sqlite.org/rescode.html */
const BUSY = /^SQLITE_BUSY/;
const UNAVAILABLE = /^SQLITE_(LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|NOLFS|PROTOCOL|NOMEM|PERM)/;

/**
 * A libsql connection for kysely. It caches prepared statements (preparation is half the cost of a short query) and
 * turns failures of the machine into `StoreUnavailableError`.
 */
export class LibsqlDatabase implements SqliteDatabase {
  readonly #database: Libsql.Database;
  readonly #statements = new LRUCache<string, SqliteStatement>({ max: STATEMENT_CACHE_SIZE });

  /** Opens a file and creates it if it is missing; throws libsql's errors. */
  constructor(private readonly path: string) {
    this.#database = new Libsql(path);
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#translated(() => this.#database.prepare<unknown[]>(sql));
    const prepared: SqliteStatement = {
      reader: statement.reader,
      all: (parameters) => this.#translated(() => statement.all(parameters)),
      run: (parameters) => this.#translated(() => statement.run(parameters)),
      iterate: (parameters) => statement.iterate(parameters),
    };
    this.#statements.set(sql, prepared);
    return prepared;
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
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
    // libsql closes the file when the last statement is released.
    this.#statements.clear();
    this.#database.close();
  }

  #translated<Result>(call: () => Result): Result {
    try {
      return call();
    } catch (error) {
      if (!(error instanceof Libsql.SqliteError)) throw error;
      const reason = `${error.message} in ${this.path} (${error.code})`;
      if (BUSY.test(error.code)) throw new StoreBusyError(reason, error);
      if (UNAVAILABLE.test(error.code)) throw new StoreUnavailableError(reason, error);
      throw error;
    }
  }
}
