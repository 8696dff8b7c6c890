import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { StoreBusyError } from './store-busy-error.js';

const RETRY_AFTER_MS = 2;
/** Two seconds, many hundred times as long as a write of ours takes. */
const ATTEMPTS = 1000;

/**
 * Waits for the write lock of another process without holding up this one: SQLite's own busy timeout sleeps inside
 * the call, and every request in flight would sleep with it.
 */
export class PatientConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#connection.executeQuery<Row>(query);
      } catch (error) {
        if (!(error instanceof StoreBusyError) || attempt === ATTEMPTS) throw error;
        await sleep(RETRY_AFTER_MS);
      }
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery(query, chunkSize);
  }
}
