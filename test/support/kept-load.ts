import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';

/** An answer to a client of a load. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A request without its key. */
export interface ClientRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A caller on a connection of its own, kept by default. */
export class Client {
  readonly #agent: Agent;
  /** The local port of the connection of the last request. */
  localPort: number | undefined;

  /** @param keepsConnection whether it is used for more than one request */
  constructor(
    readonly api: string,
    readonly key: string,
    keepsConnection = true,
  ) {
    this.#agent = new Agent({ keepAlive: keepsConnection, maxSockets: 1 });
  }

  /** Sends a request; rejects if its answer is truncated. */
  async send({ method, path, headers, body }: ClientRequest) {
    const options = { method, headers: { ...headers, 'x-api-key': this.key }, agent: this.#agent };
    const sent = httpRequest(this.api + path, options);
    sent.once('socket', ({ localPort }) => {
      this.localPort = localPort;
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) };
  }

  async post(path: string, body: unknown): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    const answer = await this.send({ method: 'POST', path, headers, body: JSON.stringify(body) });
    return { status: answer.status, body: answer.body.toString() };
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Callers that send one request after another until they are stopped; an error of one ends the load. */
export class Load {
  /** Requests answered. */
  answered = 0;
  /** Rejects with the first error. */
  readonly ended: Promise<unknown>;
  #isStopping = false;

  /** @param send for each caller a function that sends one request and checks its answer */
  constructor(send: readonly (() => Promise<void>)[]) {
    const callers = send.map(async (once) => {
      while (!this.#isStopping) {
        await once();
        this.answered++;
      }
    });
    this.ended = Promise.all(callers);
    this.ended.catch(() => {}); // handled by those who await it
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.ended;
  }
}
