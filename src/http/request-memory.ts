import type { FastifyReply } from 'fastify';
import type { MemoryBudget } from '../work/admission.js';
import { CLOSED_WHILE_WAITING, TOO_MANY_OPEN } from './errors.js';
import { callerOf } from './server/request-state.js';

/**
 * Takes memory for a request until its response is closed.
 * @returns a function that gives memory back earlier, all but `keptBytes`
 * @throws ApiError overloaded where too little is left
 */
export function takeMemory(
  budget: MemoryBudget,
  bytes: number,
  { request, raw }: FastifyReply,
): (keptBytes: number) => void {
  if (raw.closed) throw CLOSED_WHILE_WAITING; // its 'close' would never come
  const { id } = callerOf(request);
  if (!budget.take(id, bytes)) throw TOO_MANY_OPEN;
  let taken = bytes;
  const keep = (keptBytes: number) => {
    const kept = Math.min(keptBytes, taken);
    budget.release(id, taken - kept);
    taken = kept;
  };
  raw.once('close', () => keep(0));
  return keep;
}

/** Smaller answers are not counted: a new connection's send buffer takes them even if the caller does not read. */
const LARGE_ANSWER_BYTES = 16 * 1024;

/** Takes memory for an answer that is held as a whole until it is sent. @throws ApiError as `takeMemory` */
export function takeMemoryFor(budget: MemoryBudget, { length }: Buffer | string, reply: FastifyReply): void {
  if (length >= LARGE_ANSWER_BYTES) takeMemory(budget, length, reply);
}
