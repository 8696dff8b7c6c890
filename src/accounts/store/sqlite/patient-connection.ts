import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { StoreBusyError } from '../store-errors.js';

const RETRY_AFTER_MS = 2;
/** Two seconds, several hundred times the duration of one of our writes. */
const ATTEMPTS = 1000;

/**
 * Waits for the write lock of another process without blocking this one: SQLite's own busy timeout sleeps inside the
 * call and would block every request in flight.
 */
export class PatientConnection implements DatabaseConnection {
  constructor(private readonly connection: DatabaseConnection) {}

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.connection.executeQuery<Row>(query);
      } catch (error) {
        if (!(error instanceof StoreBusyError) || attempt === ATTEMPTS) throw error;
        await sleep(RETRY_AFTER_MS);
      }
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.connection.streamQuery(query, chunkSize);
  }
}
