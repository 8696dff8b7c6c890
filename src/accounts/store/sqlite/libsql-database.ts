import type { SqliteDatabase, SqliteStatement } from 'kysely';
import Libsql from 'libsql';
import { LRUCache } from 'lru-cache';
import { StoreUnavailableError } from '../store-errors.js';
import { StoreBusyError } from './store-busy-error.js';

const STATEMENT_CACHE_SIZE = 64;

/** Result codes that speak of the machine, not of the statement: https://www.sqlite.org/rescode.html */
const BUSY = /^SQLITE_BUSY/;
const UNAVAILABLE = /^SQLITE_(LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|NOLFS|PROTOCOL|NOMEM|PERM)/;

/**
 * A libsql connection in the shape kysely drives: it keeps prepared statements (half the cost of a short query is its
 * preparation) and turns the machine's failures into `StoreUnavailableError`.
 */
export class LibsqlDatabase implements SqliteDatabase {
  readonly #path: string;
  readonly #database: Libsql.Database;
  readonly #statements = new LRUCache<string, SqliteStatement>({ max: STATEMENT_CACHE_SIZE });

  /** Opens a file, and creates it if there is none; throws what libsql throws. */
  constructor(path: string) {
    this.#path = path;
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

  /** The value in the first column of the first row that a pragma answers with. */
  pragma(pragma: string): unknown {
    const [row] = this.prepare(`pragma ${pragma}`).all([]) as Record<string, unknown>[];
    return row && Object.values(row)[0];
  }

  close(): void {
    // A copy of the one file is a whole backup once the write-ahead log is written back and empty.
    this.pragma('wal_checkpoint(truncate)');
    // libsql lets go of the file when the last statement is gone.
    this.#statements.clear();
    this.#database.close();
  }

  #translated<Result>(call: () => Result): Result {
    try {
      return call();
    } catch (error) {
      if (!(error instanceof Libsql.SqliteError)) throw error;
      const reason = `${error.message} in ${this.#path} (${error.code})`;
      if (BUSY.test(error.code)) throw new StoreBusyError(reason, { cause: error });
      if (UNAVAILABLE.test(error.code)) throw new StoreUnavailableError(reason, { cause: error });
      throw error;
    }
  }
}
