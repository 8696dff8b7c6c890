import type { FastifyReply } from 'fastify';
import pLimit, { type LimitFunction } from 'p-limit';
import { KEY_TURNS_FULL, timedOut } from '../../http/errors/common-errors.js';

/** Requests of a key that are at work at a time; more would share the workers and all end late, or past their deadline. */
const MAX_AT_WORK = 2;

/** A key may have a request at work or waiting for so many sites that may wait in the scheduler, and MIN_OPEN at least. */
const SITES_PER_OPEN = 1000;
const MIN_OPEN = 4;

/** Plans and surfaces have many rows: of each key a few are at work, in the order of their arrival, and a few more wait. */
export class KeyTurns {
  readonly #limits = new Map<string, LimitFunction>();

  readonly #maxOpen: number;

  /** @param timeoutMs how long after its arrival a request may be answered */
  constructor(
    queueLimitSites: number,
    private readonly timeoutMs: number,
  ) {
    this.#maxOpen = Math.max(MIN_OPEN, Math.floor(queueLimitSites / SITES_PER_OPEN));
  }

  /** @throws ApiError overloaded where no further request of a key would be admitted */
  check(keyId: string): void {
    const limit = this.#limits.get(keyId);
    if (limit !== undefined && limit.activeCount + limit.pendingCount >= this.#maxOpen) throw KEY_TURNS_FULL;
  }

  /**
   * Does the work of a request when it has its turn.
   * @throws ApiError where too many of the key wait or the request's time is over, or what `work` throws
   */
  async run<Result>(keyId: string, reply: FastifyReply, work: () => Promise<Result>): Promise<Result> {
    this.check(keyId);
    const limit = this.#limits.get(keyId) ?? pLimit(MAX_AT_WORK);
    this.#limits.set(keyId, limit);
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const over = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        isOver = true;
        reject(timedOut(this.timeoutMs));
      }, this.timeoutMs - reply.elapsedTime);
    });
    const turn = limit(() => (isOver ? over : work()));
    const forget = () => {
      if (limit.activeCount + limit.pendingCount === 0) this.#limits.delete(keyId);
    };
    turn.then(forget, forget);
    return Promise.race([turn, over]).finally(() => clearTimeout(timer));
  }
}
