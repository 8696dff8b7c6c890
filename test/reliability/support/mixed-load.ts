import { expect } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { Client, Load } from '../../support/kept-load.js';
import type { MixedRequest } from './mixed-requests.js';

/** A service that is called. */
export interface Target {
  readonly api: string;
  readonly key: string;
}

/** The complete answer to each request, which later answers must equal. */
export type WholeAnswers = ReadonlyMap<MixedRequest, string>;

/** Reads an answer to a request. @throws where it is not whole */
export function readWhole(request: MixedRequest, body: Buffer): string {
  return request
    .read(body)
    .replaceAll(/"generated_at":"[^"]*"/g, '')
    .replaceAll(/_v\d+_\d+_/g, '_v_');
}

/** Sends each request once, before anything fails. */
export async function askForAll(
  { api, key }: Target,
  requests: readonly MixedRequest[],
): Promise<WholeAnswers> {
  const client = new Client(api, key);
  const answers = new Map<MixedRequest, string>();
  for (const request of requests) {
    const { status, body } = await client.send(request);
    expect({ status, error: status === 200 ? '' : body.toString() }).toEqual({ status: 200, error: '' });
    answers.set(request, readWhole(request, body));
  }
  client.close();
  return answers;
}

/** Callers of every kind of request, each on a kept connection of its own, who get their whole answers again and again. */
export class MixedLoad {
  /** Answers by kind. */
  readonly answered = new Map<string, number>();
  readonly #load: Load;
  readonly #clients: Client[] = [];

  constructor({ api, key }: Target, answers: WholeAnswers) {
    const callers = Array.from(answers, ([request, whole]) => {
      const client = new Client(api, key);
      this.#clients.push(client);
      return async () => {
        const { status, body } = await client.send(request);
        expect({ status, error: status === 200 ? '' : body.toString() }).toEqual({ status: 200, error: '' });
        // A comparison of strings: a difference of megabytes would be printed.
        expect(readWhole(request, body) === whole, `${request.name} has its whole answer`).toBe(true);
        this.answered.set(request.name, (this.answered.get(request.name) ?? 0) + 1);
      };
    });
    this.#load = new Load(callers);
  }

  /** Requests answered. */
  get requests(): number {
    return this.#load.answered;
  }

  /** Waits until a check passes. @throws at once what goes wrong */
  until(check: () => unknown): Promise<unknown> {
    return Promise.race([this.#load.ended, eventually(check)]);
  }

  /** Waits for the last answers. @throws what went wrong */
  async stop(): Promise<void> {
    try {
      await this.#load.stop();
    } finally {
      for (const client of this.#clients) client.close();
    }
  }
}
