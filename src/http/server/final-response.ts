import { type Duplex, finished } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isAwaitingContinue } from '../request/expect-continue.js';
import type { CurrentPhase } from '../serving/serving.js';

/** How long the end of a connection waits for a caller who is still sending or has not read the response. */
const LINGER_MS = 1000;

/**
 * Announces with `Connection: close` that a connection ends while the service drains, and delays the last response of a
 * connection until its request is read: closed under a caller who is still sending, the connection would be reset and
 * the response lost.
 */
export function enableFinalResponses(app: FastifyInstance, phase: CurrentPhase): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (phase.current === 'draining') reply.header('connection', 'close');
    if (request.raw.complete || !isFinalResponse(reply) || isAwaitingContinue(request.raw)) done();
    else discardRest(request, done);
  });
}

/** Whether the connection ends with this response: the caller may have asked for that, too. */
export function isFinalResponse(reply: FastifyReply): boolean {
  return reply.getHeader('connection') === 'close' || !reply.raw.shouldKeepAlive;
}

/**
 * Reads and drops the rest of a request, for at most LINGER_MS.
 * @param done called in any case: the response is sent even if the caller is gone or too slow
 */
function discardRest({ raw }: FastifyRequest, done: () => void): void {
  const end = () => {
    clearTimeout(timer);
    forget();
    done();
  };
  const timer = setTimeout(end, LINGER_MS);
  const forget = finished(raw.resume(), { writable: false }, end);
}

/**
 * Ends a connection, but keeps reading until the caller closes its side or LINGER_MS pass: closed at once it would be
 * reset under a caller who is still sending.
 * @param last what is still to be sent
 */
export function endLingering(socket: Duplex, last?: string): void {
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(last);
  socket.resume();
}
