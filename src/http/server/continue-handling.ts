import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { expectContinue, isAwaitingContinue } from '../request/expect-continue.js';

/** Handles requests with `Expect: 100-continue` as others: whoever reads their body has it sent, and none that is rejected. */
export function awaitContinue(server: Server): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    expectContinue(request, response);
    server.emit('request', request, response);
  };
}

/**
 * Ends the connection of a caller who was not told to send the body: it may do so all the same, or not, and what follows
 * could be either the body or the next request.
 */
export function endUncontinued(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (isAwaitingContinue(request.raw)) reply.header('connection', 'close');
    done();
  });
}
