import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { DEFAULT_RETRY } from '../../../clients/typescript/src/retry.js';
import { eventually } from '../../support/eventually.js';
import { type EndpointRequest, everyEndpoint } from './every-endpoint.js';

/** The outcome of a request with a complete answer. */
const ANSWERED = 'answered';
/** The outcome of a request whose answer ended normally but was incomplete. */
export const LOOKED_WHOLE = 'an answer that looked whole and was not';

/** The outcome of one request, with times from `performance.now()`. */
export interface Outcome {
  readonly path: string;
  readonly startedMs: number;
  readonly endedMs: number;
  /** 'answered', or the failure that the caller saw. */
  readonly result: string;
}

const MAX_PAUSE_MS = 4;

/** Entries of a batch and rows of a table. */
const SITES = 100;
const REQUESTS = everyEndpoint(SITES);

/**
 * Callers who send requests to every endpoint, one after another, each on a connection that it keeps as long as it lasts.
 * A request that failed is sent again once, as clients do.
 */
export class SteadyLoad {
  readonly outcomes: Outcome[] = [];
  /** The outcomes of second attempts. */
  readonly retries: Outcome[] = [];
  readonly #callers: Promise<unknown>;
  #isOn = true;

  constructor(
    private readonly url: string,
    private readonly key: string,
    callers: number,
  ) {
    onTestFinished(() => {
      this.#isOn = false;
    });
    this.#callers = Promise.all(Array.from({ length: callers }, (_, index) => this.#call(index)));
  }

  /** First attempts that were not answered. */
  get failed(): Outcome[] {
    return this.outcomes.filter(({ result }) => result !== ANSWERED);
  }

  /** Second attempts that were not answered. */
  get lost(): Outcome[] {
    return this.retries.filter(({ result }) => result !== ANSWERED);
  }

  /** Resolves when `requests` more requests have ended. */
  async more(requests: number): Promise<void> {
    const enough = this.outcomes.length + requests;
    await eventually(() => {
      if (this.outcomes.length < enough)
        throw new Error(`only ${this.outcomes.length} of ${enough} requests`);
    }, 300_000);
  }

  /** Ends the load when what is in flight has ended. */
  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#callers;
  }

  async #call(first: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let turn = first; this.#isOn; turn += 1) {
      const asked = REQUESTS[turn % REQUESTS.length]!;
      const outcome = await this.#send(asked, agent);
      this.outcomes.push(outcome);
      if (outcome.result !== ANSWERED) {
        await delay(DEFAULT_RETRY.firstWaitMs);
        this.retries.push(await this.#send(asked, agent));
      }
      await delay(Math.random() * MAX_PAUSE_MS);
    }
    agent.destroy();
  }

  async #send(asked: EndpointRequest, agent: Agent): Promise<Outcome> {
    const startedMs = performance.now();
    const result = await this.#resultOf(asked, agent);
    return { path: asked.path, startedMs, endedMs: performance.now(), result };
  }

  async #resultOf({ path, body, contentType, isWhole }: EndpointRequest, agent: Agent): Promise<string> {
    const method = body === undefined ? 'GET' : 'POST';
    const headers = { 'x-api-key': this.key, 'content-type': contentType };
    try {
      const sent = request(this.url + path, { method, agent, headers });
      const answered = once(sent, 'response');
      sent.end(body);
      const [response] = (await answered) as [IncomingMessage];
      const answer = await text(response);
      if (response.statusCode !== 200) return `${response.statusCode} ${answer}`;
      return isWhole(answer) ? ANSWERED : LOOKED_WHOLE;
    } catch (error) {
      // A truncated answer rejects before it is parsed: incomplete JSON is of an answer that ended normally.
      return error instanceof SyntaxError ? LOOKED_WHOLE : (error as Error).message;
    }
  }
}
