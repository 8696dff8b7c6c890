import type { Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How long a new connection may be without a request and not count as idle. */
const FIRST_REQUEST_MS = 1000;

/** While the server closes, connections that became idle are closed this often. */
const CLOSE_IDLE_EVERY_MS = 50;

/** The door is shut when nobody has come for so long, */
const QUIET_MS = 20;
/** or after so many such times in which somebody did. */
const MOST_WAITS = 50;

/**
 * Has the server close without resetting the connection of a caller.
 *
 * Two kinds of callers would be reset otherwise. Those whose connection the system has taken and the server has not:
 * the listening socket goes and they with it. So requests that come now wait until the door is shut: soon all callers
 * wait, nobody comes any more, and nobody stands before the door. And those who have connected and are about to send:
 * their connection looks idle and is not.
 */
export function useDoor(app: FastifyInstance): void {
  const { server } = app;
  const newcomers = new Set<Socket>();
  let arrivals = 0;
  let shutting: Promise<void> | undefined;

  server.on('connection', (socket) => {
    arrivals++;
    newcomers.add(socket);
    const late = setTimeout(() => newcomers.delete(socket), FIRST_REQUEST_MS).unref();
    socket.once('close', () => {
      clearTimeout(late);
      newcomers.delete(socket);
    });
  });
  server.on('request', ({ socket }) => {
    arrivals++;
    newcomers.delete(socket);
  });
  app.addHook('onRequest', (_request, _reply, done) => {
    if (shutting === undefined) done();
    else shutting.then(() => done());
  });

  const closeIdle = server.closeIdleConnections.bind(server);
  // Node itself calls it, too, when the server closes.
  server.closeIdleConnections = () => {
    if (newcomers.size === 0) closeIdle();
  };

  const shut = async () => {
    for (let waits = 0, before = -1; arrivals !== before && waits < MOST_WAITS; waits++) {
      before = arrivals;
      await delay(QUIET_MS);
      await nextTurn(); // who came in the meantime has been let in
    }
    server.close();
    // A connection looks idle until the request on it is read: in the turn after this.
    const closing = setInterval(() => setImmediate(() => server.closeIdleConnections()), CLOSE_IDLE_EVERY_MS);
    server.once('close', () => clearInterval(closing));
  };
  app.addHook('preClose', () => {
    shutting = shut();
    return shutting;
  });
}
