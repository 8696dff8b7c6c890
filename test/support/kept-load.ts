import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';

/** An answer to a client of a load. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A caller on a kept connection of its own. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    readonly api: string,
    readonly key: string,
  ) {}

  async post(path: string, body: unknown): Promise<Answer> {
    const headers = { 'x-api-key': this.key, 'content-type': 'application/json' };
    const sent = httpRequest(this.api + path, { method: 'POST', headers, agent: this.#agent });
    sent.end(JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const part of response.setEncoding('utf8')) text += part;
    return { status: response.statusCode!, body: text };
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Callers that send one request after another until they are stopped; what goes wrong in one is thrown by `stop`. */
export class Load {
  /** Requests answered. */
  answered = 0;
  readonly #callers: Promise<void>[];
  #isStopping = false;

  /** @param send each a caller's one request and what must hold of its answer */
  constructor(send: readonly (() => Promise<void>)[]) {
    this.#callers = send.map(async (once) => {
      while (!this.#isStopping) {
        await once();
        this.answered++;
      }
    });
    // Told by stop.
    for (const caller of this.#callers) caller.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#callers);
  }
}
