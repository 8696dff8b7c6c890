import type { FastifyReply, FastifyRequest } from 'fastify';
import { hungUp, QUEUE_FULL, timedOut } from '../errors/work-errors.js';
import type { Services } from '../services.js';

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
  const hadToWait = entry.state === 'waiting';
  const leave = () => turnstile.leave(entry);
  const deadline = setTimeout(leave, config.requestTimeoutMs);
  reply.raw.once('close', leave);
  try {
    const decision = await entry.decided;
    clearTimeout(deadline);
    if (decision === 'turned-away') throw QUEUE_FULL;
    if (decision === 'left') throw reply.raw.destroyed ? hungUp() : timedOut(config.requestTimeoutMs);
    // A caller who hung up looks like one who closed his side and waits: nothing is begun for either.
    if (hadToWait && request.raw.socket.readableEnded) throw hungUp();
    return await work();
  } finally {
    reply.raw.off('close', leave);
    leave();
  }
}
