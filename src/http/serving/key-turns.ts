import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { LARGEST_BATCH_SITES } from '../../accounts/tiers.js';
import { KeyedLimit } from '../../work/keyed-limit.js';
import { closedWhileWaiting, KEY_TURNS_FULL, timedOut } from '../errors/common-errors.js';

/** Rows that a plan or surface submits together: other keys have their turns between them. */
export const JOB_ROWS = LARGEST_BATCH_SITES;
const MAX_JOBS_AT_ONCE = 4;

/** Requests of a key that are predicted for at a time; more would share the workers and all end late, or past their deadline. */
const MAX_AT_WORK = 2;

/** Requests of a key that are admitted, for each whose jobs fit into half of the queue. */
const ADMITTED_FOR_EACH = 4;

/**
 * Plans and surfaces have many rows, which they submit in jobs: of each key a few are at work, in the order of their
 * arrival, and a few more wait for their turn. If all were at work, they would reject the rows of one another.
 */
export class KeyTurns {
  readonly #jobsAtOnce: number;
  readonly #turns: KeyedLimit;
  readonly #maxRequests: number;
  /** Requests of each key that are at work or wait. */
  readonly #requests = new Map<string, number>();
  /** The responses to those that were admitted and have not asked for a turn. */
  readonly #notBegun = new Set<ServerResponse>();

  /**
   * @param queueLimitSites sites that may wait in the scheduler: the plans and surfaces of a key take at most half of it, or
   * one job where that is more
   * @param timeoutMs how long after its arrival a request may be answered
   */
  constructor(
    queueLimitSites: number,
    private readonly timeoutMs: number,
  ) {
    const jobs = Math.max(1, Math.floor(queueLimitSites / 2 / JOB_ROWS));
    this.#jobsAtOnce = Math.min(jobs, MAX_JOBS_AT_ONCE);
    const fitting = Math.floor(jobs / this.#jobsAtOnce);
    this.#turns = new KeyedLimit(Math.min(fitting, MAX_AT_WORK));
    this.#maxRequests = ADMITTED_FOR_EACH * fitting;
  }

  /**
   * Admits a request of a key until its rows are predicted, or until its response is closed before that begins.
   * @throws ApiError overloaded where too many of the key wait
   */
  admit(keyId: string, { raw: response }: FastifyReply): void {
    if (response.closed) throw closedWhileWaiting(); // its 'close' would never come
    const before = this.#requests.get(keyId) ?? 0;
    if (before >= this.#maxRequests) throw KEY_TURNS_FULL;
    this.#requests.set(keyId, before + 1);
    this.#notBegun.add(response);
    response.once('close', () => {
      if (this.#notBegun.delete(response)) this.#leave(keyId);
    });
  }

  /**
   * Predicts the rows of an admitted request when it has its turn, which ends with them.
   * @param predict submits one job after the other until none is left; called several times at once, so the calls take
   * their jobs from one generator, which the first error ends for all
   * @throws ApiError where the request's time is over, or what `predict` throws
   */
  async run(keyId: string, reply: FastifyReply, predict: () => Promise<void>): Promise<void> {
    this.#notBegun.delete(reply.raw);
    let isOver = false;
    const turn = this.#turns.run(keyId, async () => {
      if (isOver) return;
      const calls = Array.from({ length: this.#jobsAtOnce }, predict);
      // After the first error the others may still submit a job: the generation must not be closed before.
      await Promise.all(calls).finally(() => Promise.allSettled(calls));
    });
    // What waits for a turn keeps its memory until then, even if its caller is gone.
    const ended = turn.finally(() => this.#leave(keyId));
    let timer: NodeJS.Timeout;
    const over = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        isOver = true;
        reject(timedOut(this.timeoutMs));
      }, this.timeoutMs - reply.elapsedTime);
    });
    await Promise.race([ended, over]).finally(() => clearTimeout(timer));
  }

  #leave(keyId: string): void {
    const left = (this.#requests.get(keyId) ?? 1) - 1;
    if (left === 0) this.#requests.delete(keyId);
    else this.#requests.set(keyId, left);
  }
}
