import type { Duplex } from 'node:stream';

/** How long a caller has to read the last answer and hang up. */
const LINGER_MS = 1000;

/**
 * Ends a connection whose caller may still be sending: closed at once it would be reset under him, and the last answer
 * lost.
 * @param last what is still to be sent
 */
export function endLingering(socket: Duplex, last?: string): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(last);
  socket.resume();
}
