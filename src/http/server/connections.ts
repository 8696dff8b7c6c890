import type { Socket } from 'node:net';
import { Connection } from './connection.js';
import { RequestPacer } from './pacing.js';

/**
 * The open connections of a server, in limited number. One beyond the limit replaces an idle one: the oldest that never
 * sent a request or, if there is none, the oldest without a request in progress. If all are busy, it replaces the oldest
 * that is sending a response to a caller without a key: slow readers could keep others out. Otherwise, it is closed.
 */
export class Connections {
  /** From the oldest to the newest. */
  readonly #open = new Set<Connection>();
  readonly #pacer = new RequestPacer();
  /** Connections closed because of the limit. */
  closedCount = 0;

  constructor(readonly limit: number) {}

  get size(): number {
    return this.#open.size;
  }

  /** Opens a connection on a socket that the server accepted, unless it is beyond the limit and replaces none. */
  open(socket: Socket): Connection | undefined {
    if (this.size >= this.limit) {
      this.closedCount++;
      const replaced = this.#firstReplaceable();
      if (replaced === undefined) {
        socket.destroy();
        return undefined;
      }
      this.#open.delete(replaced); // now, not when it has closed: the new connection takes its place
      replaced.destroy();
    }
    this.#pacer.noteConnection();
    const connection = new Connection(socket, this.#pacer);
    this.#open.add(connection);
    return connection.once('close', () => this.#open.delete(connection));
  }

  /** Rejects the requests that are still arriving and began before a time, on the clock of `performance.now()`. */
  rejectLate(beforeMs: number): void {
    for (const connection of this.#open) connection.rejectLate(beforeMs);
  }

  /** Closes the connections on which nothing is arriving, in progress, or still to be sent. */
  closeIdle(): void {
    for (const connection of this.#open) if (connection.isBetweenRequests) connection.destroy();
  }

  #firstReplaceable(): Connection | undefined {
    let idle: Connection | undefined;
    let sending: Connection | undefined;
    for (const connection of this.#open) {
      if (connection.isSendingWithoutKey) sending ??= connection;
      if (!connection.isIdle) continue;
      if (!connection.hasBegun) return connection;
      idle ??= connection;
    }
    return idle ?? sending;
  }
}
