import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Sends the part of a constant body that a `Range` header asks for, or all of it (RFC 9110, section 14). A range that is
 * not `bytes=FIRST-LAST` or begins beyond the end is ignored, as the RFC allows.
 */
export function sendRange(request: FastifyRequest, reply: FastifyReply, body: Buffer): FastifyReply {
  reply.header('accept-ranges', 'bytes');
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  if (first === undefined || Number(first) >= body.length) return reply.send(body);
  const end = last === '' ? body.length : Math.min(Number(last) + 1, body.length);
  if (end <= Number(first)) return reply.send(body);
  return reply
    .code(206)
    .header('content-range', `bytes ${first}-${end - 1}/${body.length}`)
    .send(body.subarray(Number(first), end));
}
