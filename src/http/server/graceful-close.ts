import { Server } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** The door is shut when nobody has come for so long, */
const QUIET_MS = 20;
/** or after so many such times in which somebody did. */
const MOST_WAITS = 50;

/** How long after the door was shut a connection may be without a request and is not closed. */
const PATIENCE_MS = 500;
/** From then on, connections that became idle are closed this often. */
const CLOSE_IDLE_EVERY_MS = 50;

/**
 * Has the server close without resetting the connection of a caller.
 *
 * Two kinds of callers would be reset otherwise. Those whose connection the system has taken and the server has not:
 * the listening socket goes and they with it. So requests that come now wait until the door is shut: soon all callers
 * wait, nobody comes any more, and nobody stands before the door. And those who are about to send on a connection that
 * looks idle: they have a moment to do so, and are told with their answer that the connection ends.
 */
export function useDoor(app: FastifyInstance): void {
  const { server } = app;
  let arrivals = 0;
  let shutting: Promise<void> | undefined;
  server.on('connection', () => arrivals++);
  server.on('request', () => arrivals++);
  app.addHook('onRequest', (_request, _reply, done) => {
    if (shutting === undefined) done();
    else shutting.then(() => done());
  });

  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {}; // called as soon as the server closes
  // An HTTP server's own also stops looking for requests that arrive too slowly: they would hold up the end.
  Object.assign(server, { close: Server.prototype.close });

  const closeIdleInAWhile = async () => {
    const closed = new AbortController();
    const { signal } = closed;
    server.once('close', () => closed.abort());
    await delay(PATIENCE_MS, undefined, { signal });
    for (;;) {
      // A connection looks idle until the request on it is read.
      await nextTurn();
      closeIdle();
      await delay(CLOSE_IDLE_EVERY_MS, undefined, { signal });
    }
  };

  const shut = async () => {
    for (let waits = 0, before = -1; arrivals !== before && waits < MOST_WAITS; waits++) {
      before = arrivals;
      await delay(QUIET_MS);
      await nextTurn(); // who came in the meantime has been let in
    }
    server.close();
    closeIdleInAWhile().catch(() => {}); // aborted when all is closed
  };
  app.addHook('preClose', () => {
    shutting = shut();
    return shutting;
  });
}
