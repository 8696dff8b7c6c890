import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Connections } from './connections.js';

/** The server stops listening after an interval of this length without new connections or requests. */
const QUIET_MS = 20;
/** It stops listening after this many intervals in any case. */
const MAX_INTERVALS = 50;

/** How long idle connections stay open after the server has stopped listening. */
const IDLE_GRACE_MS = 500;
/** How often idle connections are closed from then on. */
const CLOSE_IDLE_INTERVAL_MS = 50;

/**
 * Makes the server close without resetting the connection of a caller. Fastify waits until all connections have closed,
 * so a response that its caller reads slowly, such as a table, is sent to its end. Otherwise two kinds of connections
 * would be reset:
 * - Connections that the system has accepted and the server has not, when the listening socket closes. To make them
 *   rare, requests that arrive while the server closes wait until it has stopped listening: soon most callers wait for
 *   an answer and open no connection.
 * - Connections that look idle although their caller is about to send. They stay open for a moment, and their next
 *   response announces their end.
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
