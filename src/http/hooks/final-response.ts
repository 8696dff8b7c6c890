import { finished } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServicePhase } from '../../service/service-phase.js';

/** How long the answer to a caller who is still sending may be held back. */
const LINGER_MS = 1000;

/**
 * Ends every connection with its next answer while the service drains, and no connection under a caller who is still
 * sending: it would be reset, and the answer lost.
 */
export function useLastAnswers(app: FastifyInstance, phase: ServicePhase): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (phase.current === 'draining') reply.header('connection', 'close');
    if (request.raw.complete || !isLast(reply)) done();
    else void dropRest(request).then(() => done());
  });
}

/** Whether the connection ends with this answer: its caller may have asked for that, too. */
export function isLast(reply: FastifyReply): boolean {
  return reply.getHeader('connection') === 'close' || !reply.raw.shouldKeepAlive;
}

/** Reads what is still to come of a request and drops it, for a while. */
async function dropRest({ raw }: FastifyRequest): Promise<void> {
  const signal = AbortSignal.timeout(LINGER_MS);
  // However it ends: whoever hung up or is too slow gets the answer as best it can be had.
  await finished(raw.resume(), { writable: false, signal }).catch(() => {});
}
