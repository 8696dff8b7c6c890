import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Connections } from './connections.js';

/** Stop listening after this long without new connections or requests, */
const QUIET_MS = 20;
/** or after this many such intervals with some. */
const MAX_INTERVALS = 50;

/** How long after the server stopped listening idle connections stay open. */
const IDLE_GRACE_MS = 500;
/** From then on, connections that became idle are closed this often. */
const CLOSE_IDLE_INTERVAL_MS = 50;

/**
 * Makes the server close without resetting the connection of a caller. Fastify waits until all connections have closed: a
 * response that its caller reads slowly, such as a table, is sent to its end.
 *
 * Two kinds of connections would be reset otherwise. Those that the system has accepted and the server has not, when the
 * listening socket closes: so requests that arrive while the server closes wait until it has stopped listening. Soon most
 * callers wait, and it is unlikely that one connects in the moment before the listening socket closes. And connections
 * that look idle although their caller is about to send: they stay open for a moment, and their next response announces
 * their end.
 */
export function enableGracefulClose(app: FastifyInstance, connections: Connections): void {
  const { server } = app;
  let arrivals = 0;
  let stopped: Promise<void> | undefined;
  server.on('connection', () => arrivals++);
  app.addHook('onRequest', (_request, _reply, done) => {
    arrivals++;
    if (stopped === undefined) done();
    else stopped.then(() => done());
  });

  const stopListening = async () => {
    for (let intervals = 0, before = -1; arrivals !== before && intervals < MAX_INTERVALS; intervals++) {
      before = arrivals;
      await delay(QUIET_MS);
      await nextTurn(); // accepts the connections that arrived meanwhile
    }
    const graceEndMs = performance.now() + IDLE_GRACE_MS;
    const closing = setInterval(() => {
      // A connection looks idle until the request on it is read.
      if (performance.now() >= graceEndMs) setImmediate(() => connections.closeIdle());
    }, CLOSE_IDLE_INTERVAL_MS);
    server.once('close', () => clearInterval(closing)).close();
  };
  app.addHook('preClose', () => {
    stopped = stopListening();
    return stopped;
  });
}
