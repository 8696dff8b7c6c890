import type { FastifyInstance, FastifyReply } from 'fastify';
import type { CurrentPhase } from '../../work/serving/serving.js';
import { isAwaitingContinue } from '../body/expect-continue.js';

/**
 * Announces with `Connection: close` that a connection ends: while the service drains, and where a caller was not told to
 * send the body, because what follows could be either the body or the next request.
 */
export function announceFinalResponses(app: FastifyInstance, phase: CurrentPhase): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (phase.current === 'draining' || isAwaitingContinue(request.raw)) reply.header('connection', 'close');
    done();
  });
}

/** Whether the connection ends with this response: the caller may have asked for that, too. */
export function isFinalResponse(reply: FastifyReply): boolean {
  return reply.getHeader('connection') === 'close' || !reply.raw.shouldKeepAlive;
}
