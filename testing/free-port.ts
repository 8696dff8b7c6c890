import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that the system assigns to connections and to listeners on port 0. */
const FIRST_PORT = 20_000;
const PORTS = 10_000;

/** A port of 127.0.0.1 that nothing listens on: for a service whose output, and so its address, cannot be read. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    } catch {
      continue; // in use
    }
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
