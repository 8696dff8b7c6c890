import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RequestSequence } from './request-sequence.js';
import { Turns } from './turns.js';

/**
 * The open connections of a server: at most so many, each with one request at work.
 *
 * A connection beyond the limit takes the place of one that is idle: of the first that never sent a request or, where
 * there is none, of the first that has no request under way. Where all are busy the new one is closed.
 */
export class Connections {
  /** In the order in which they came. */
  readonly #sequences = new Map<Socket, RequestSequence>();
  readonly #turns = new Turns();
  /** Connections that were closed because there were too many. */
  closedCount = 0;

  constructor(readonly limit: number) {}

  /** How many are open. */
  get size(): number {
    return this.#sequences.size;
  }

  /** Watches over the connections of a server from now on. */
  attach(server: Server): void {
    // Node's own listener, which was added first, has attached its parser by then.
    server.on('connection', (socket: Socket) => this.#open(socket, server));
    const begin = (request: IncomingMessage, response: ServerResponse) =>
      this.#sequences.get(request.socket)?.begin(request, response);
    server.prependListener('request', begin);
    server.prependListener('checkExpectation', begin);
    server.prependListener('connect', (_request, socket) => this.#sequences.get(socket as Socket)?.end());
  }

  #open(socket: Socket, server: Server): void {
    if (this.size >= this.limit) this.#close(this.#leastNeeded() ?? socket);
    if (socket.destroyed) return;
    const refuse = (code: string) => {
      server.emit('clientError', Object.assign(new Error('refused before it is parsed'), { code }), socket);
    };
    this.#sequences.set(socket, new RequestSequence(socket, this.#turns, refuse));
    socket.once('close', () => this.#sequences.delete(socket));
  }

  /** A connection that is idle. */
  #leastNeeded(): Socket | undefined {
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
    this.#sequences.delete(socket); // its place is free at once
    socket.destroy();
  }
}
