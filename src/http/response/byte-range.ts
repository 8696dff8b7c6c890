import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../formats/errors/api-error.js';
import { show } from '../../formats/errors/shown-value.js';

/** The first byte of a range and the one after its last. */
type ByteRange = readonly [from: number, end: number];

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/**
 * The range of an answer that a request asks for (RFC 9110, 14); undefined for all of it. Ignores several ranges, other
 * units, malformed ranges, and a range whose `If-Range` is not the ETag of the answer.
 * @throws ApiError 416 where no byte of the answer is in the range
 */
export function rangeOf(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  length: number,
  etag?: string,
): ByteRange | undefined {
  const [, first = '', last = ''] = (method === 'GET' && ONE_RANGE.exec(headers.range ?? '')) || [];
  if (first === '' && last === '') return undefined;
  const ifRange = headers['if-range'];
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const from = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? length : Math.min(length, Number(last) + 1);
  if (from < end) return [from, end];
  const message = `No byte of the answer is in the range ${show(headers.range)}: it has ${length} bytes.`;
  const responseHeaders = { 'content-range': `bytes */${length}`, 'accept-ranges': 'bytes' };
  throw new ApiError({ code: 'invalid_request', message }, responseHeaders, 416);
}

/** Sends all of an answer, or the range of it that `rangeOf` gave. @param part the bytes of the range; by default a view */
export function sendRange(
  reply: FastifyReply,
  body: Buffer,
  range: ByteRange | undefined,
  part = body.subarray(...(range ?? [])),
): FastifyReply {
  reply.header('accept-ranges', 'bytes');
  if (range !== undefined)
    reply.code(206).header('content-range', `bytes ${range[0]}-${range[1] - 1}/${body.length}`);
  return reply.send(part);
}
