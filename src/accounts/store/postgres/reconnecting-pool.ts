import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { StoreUnavailableError } from '../store-errors.js';
import { isUnavailable } from './sql-state.js';

/**
 * A pool of connections in the shape kysely drives that survives what happens to connections: whoever asks gets an
 * answer or a `StoreUnavailableError` in bounded time, and a connection that fell silent is never used again.
 */
export class ReconnectingPool implements PostgresPool {
  readonly #config: PoolConfig;
  #pool: Pool;

  /** @param config with `connectionTimeoutMillis` and `query_timeout`, which bound every wait */
  constructor(config: PoolConfig) {
    this.#config = config;
    this.#pool = this.#newPool();
  }

  async connect(): Promise<PostgresPoolClient> {
    const pool = this.#pool;
    try {
      const client = await pool.connect();
      return new CheckedClient(client, () => this.#replace(pool));
    } catch (error) {
      throw new StoreUnavailableError((error as Error).message, { cause: error });
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  /**
   * Starts over with a new pool. When one connection falls silent, those beside it most likely have too, and trying
   * each to its timeout would take longer than the outage.
   */
  #replace(pool: Pool): void {
    if (pool !== this.#pool) return;
    this.#pool = this.#newPool();
    void pool.end();
  }

  #newPool(): Pool {
    const pool = new Pool(this.#config);
    pool.on('error', ignore);
    return pool;
  }
}

/** One connection while it is in use. pg itself drops one that broke when it is released. */
class CheckedClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #onSilence: () => void;

  constructor(client: PoolClient, onSilence: () => void) {
    this.#client = client;
    this.#onSilence = onSilence;
    client.on('error', ignore);
  }

  // The other way to call it, with a cursor, is for streaming, which needs a cursor in the dialect's configuration.
  readonly query = (async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await this.#client.query(sql, [...parameters]);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      // pg stops waiting and leaves the query on its connection; it has no code for that.
      if (error.message === 'Query read timeout') this.#onSilence();
      throw new StoreUnavailableError(error.message, { cause: error });
    }
  }) as unknown as PostgresPoolClient['query'];

  release(): void {
    this.#client.removeListener('error', ignore);
    this.#client.release();
  }
}

/** A connection that fails in use fails its query, too; one that is idle has left the pool when we hear of it. */
function ignore(): void {}
