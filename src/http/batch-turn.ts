import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from './services.js';
import { hungUp, QUEUE_FULL, timedOut } from './work-errors.js';

/** Refuses a batch that would be turned away before its body is read: in a flood the reading would be most of the work. */
export function refuseExcess(app: FastifyInstance, { turnstile }: Services): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (turnstile.isShutTo(request.state.caller!.id)) done(QUEUE_FULL);
    else done();
  });
}

/**
 * Does the work of a batch when it is its key's turn.
 * @throws ApiError where too many wait, or the wait takes too long, or the caller hangs up
 */
export async function inTurn<Result>(
  { turnstile, config }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<Result>,
): Promise<Result> {
  const entry = turnstile.enter(request.state.caller!.id);
  const leave = () => turnstile.leave(entry);
  const deadline = setTimeout(leave, config.requestTimeoutMs);
  reply.raw.once('close', leave);
  try {
    const decision = await entry.decided;
    clearTimeout(deadline);
    if (decision === 'turned-away') throw QUEUE_FULL;
    if (decision === 'left') throw reply.raw.destroyed ? hungUp() : timedOut(config.requestTimeoutMs);
    return await work();
  } finally {
    reply.raw.off('close', leave);
    leave();
  }
}
