import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { COMPARE_REQUEST, PREDICT_REQUEST } from '../../support/requests.js';

/** What became of one request, with the moments as `performance.now()` has them. */
export interface Outcome {
  readonly startedMs: number;
  readonly endedMs: number;
  /** 'answered', or what the caller saw instead of a whole answer. */
  readonly result: string;
}

const MOST_PAUSE_MS = 4;

/** What callers send in turn, with the number of predictions that a whole answer has. */
const REQUESTS = [
  { path: '/v1/predict', body: PREDICT_REQUEST, predictions: 1 },
  { path: '/v1/predict/compare', body: COMPARE_REQUEST, predictions: 2 },
  { path: '/v1/predict/batch', body: { requests: Array(100).fill(PREDICT_REQUEST) }, predictions: 100 },
].map(({ path, body, predictions }) => ({ path, body: JSON.stringify(body), predictions }));

/** Callers who send one request after another, each on a connection that it keeps as long as it lasts. */
export class SteadyLoad {
  readonly outcomes: Outcome[] = [];
  readonly #callers: Promise<unknown>;
  #isOn = true;

  constructor(url: string, key: string, callers: number) {
    onTestFinished(() => {
      this.#isOn = false;
    });
    this.#callers = Promise.all(Array.from({ length: callers }, (_, index) => this.#call(url, key, index)));
  }

  /** Resolves when so many more requests have ended. */
  async more(requests: number): Promise<void> {
    const enough = this.outcomes.length + requests;
    await eventually(() => {
      if (this.outcomes.length < enough)
        throw new Error(`only ${this.outcomes.length} of ${enough} requests`);
    });
  }

  /** Ends the load when what is in flight has ended. */
  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#callers;
  }

  async #call(url: string, key: string, first: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let turn = first; this.#isOn; turn += 1) {
      const { path, body, predictions } = REQUESTS[turn % REQUESTS.length];
      const startedMs = performance.now();
      const result = await send(url + path, key, body, predictions, agent);
      this.outcomes.push({ startedMs, endedMs: performance.now(), result });
      await delay(Math.random() * MOST_PAUSE_MS);
    }
    agent.destroy();
  }
}

async function send(url: string, key: string, body: string, predictions: number, agent: Agent) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  try {
    const sent = request(url, { method: 'POST', agent, headers });
    const answered = once(sent, 'response');
    sent.end(body);
    const [response] = (await answered) as [IncomingMessage];
    const answer = await text(response);
    if (response.statusCode !== 200) return `${response.statusCode} ${answer}`;
    return answer.split('"survival_probability"').length > predictions
      ? 'answered'
      : 'an answer that is not whole';
  } catch (error) {
    return (error as Error).message;
  }
}
