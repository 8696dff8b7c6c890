import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RequestSequence } from './request-sequence.js';
import { RequestTurns } from './request-turns.js';

/** How often connections are searched for requests that arrive too slowly: so late may their rejection be. */
const SLOW_REQUEST_CHECK_MS = 100;

/**
 * The open connections of a server: a limited number, each with one request in progress.
 *
 * A connection beyond the limit replaces an idle one: the oldest that never sent a request or, if there is none, the
 * oldest without a request in progress. If all are busy the new one is closed.
 */
export class Connections {
  /** From the oldest to the newest. */
  readonly #sequences = new Map<Socket, RequestSequence>();
  readonly #turns = new RequestTurns();
  /** Connections closed because of the limit. */
  closedCount = 0;

  constructor(readonly limit: number) {}

  /** Open connections. */
  get size(): number {
    return this.#sequences.size;
  }

  /**
   * Manages the connections that the server accepts from now on.
   * @param timeoutMs how long a request may take to arrive, unless it is exempt
   */
  attach(server: Server, timeoutMs: number): void {
    // Node's own listener was added first and has attached its parser by then.
    server.on('connection', (socket: Socket) => this.#open(socket, server));
    const begin = (request: IncomingMessage, response: ServerResponse) =>
      this.#sequences.get(request.socket)?.begin(request, response);
    server.prependListener('request', begin);
    server.prependListener('checkContinue', begin);
    server.prependListener('checkExpectation', begin);
    server.prependListener('connect', (_request, socket) => this.#sequences.get(socket as Socket)?.end());
    const check = setInterval(() => {
      const beforeMs = performance.now() - timeoutMs;
      for (const sequence of this.#sequences.values()) sequence.rejectLate(beforeMs);
    }, SLOW_REQUEST_CHECK_MS);
    server.once('close', () => clearInterval(check));
  }

  /** The request whose body is arriving on a connection, if any. */
  incoming(socket: Socket): IncomingMessage | undefined {
    return this.#sequences.get(socket)?.incoming;
  }

  /** Ends a connection after the response to its incoming request, if that has been begun: see RequestSequence. */
  endWithResponse(socket: Socket): boolean {
    return this.#sequences.get(socket)?.endWithResponse() ?? false;
  }

  /** Lets the body of a request take its time to arrive: see RequestSequence. */
  exemptFromTimeout(request: IncomingMessage): void {
    this.#sequences.get(request.socket)?.exemptFromTimeout();
  }

  /** Lets requests begin as they come, from when the server closes: a connection whose request waits looks idle. */
  stopTurns(): void {
    this.#turns.stop();
  }

  /** Closes the connections on which nothing is arriving, in progress, or still to be sent. */
  closeIdle(): void {
    for (const [socket, sequence] of this.#sequences) if (sequence.isBetweenRequests) socket.destroy();
  }

  /** Remembers the key of a request, for the turn of the next one on its connection. */
  rememberKey(request: IncomingMessage, keyId: string): void {
    this.#turns.note(keyId);
    const sequence = this.#sequences.get(request.socket);
    if (sequence !== undefined) sequence.keyId = keyId;
  }

  #open(socket: Socket, server: Server): void {
    if (this.size >= this.limit) this.#close(this.#firstIdle() ?? socket);
    if (socket.destroyed) return;
    const reject = (code: string) => {
      server.emit('clientError', Object.assign(new Error('rejected before parsing'), { code }), socket);
    };
    this.#sequences.set(socket, new RequestSequence(socket, this.#turns, reject));
    socket.once('close', () => this.#sequences.delete(socket));
  }

  #firstIdle(): Socket | undefined {
    let idle: Socket | undefined;
    for (const [socket, sequence] of this.#sequences) {
      if (!sequence.isIdle) continue;
      if (!sequence.hasBegun) return socket;
      idle ??= socket;
    }
    return idle;
  }

  #close(socket: Socket): void {
    this.closedCount++;
    this.#sequences.delete(socket); // at once, not when the socket has closed: the new connection needs its place
    socket.destroy();
  }
}
