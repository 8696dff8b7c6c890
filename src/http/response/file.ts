import { webcrypto } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../prediction/errors/api-error.js';
import { show } from '../../prediction/errors/shown-value.js';

/** Bytes that are sent as a whole or by range. */
export interface ResponseFile {
  readonly bytes: Buffer;
  /** Of the bytes as they are, without a content coding. */
  readonly etag: string;
}

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/**
 * The range of a file that a request asks for (RFC 9110, 14); undefined for the whole file. Several ranges, another unit
 * and what is no range are ignored, and so is a range of a file that is not the one of `If-Range`.
 * @returns its first byte and the one after its last
 * @throws ApiError 416 where no byte of the file is in the range
 */
export function rangeOf(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  { bytes: { length }, etag }: ResponseFile,
): readonly [from: number, end: number] | undefined {
  const [, first = '', last = ''] = (method === 'GET' && ONE_RANGE.exec(headers.range?.trim() ?? '')) || [];
  if (first === '' && last === '') return undefined;
  const ifRange = headers['if-range'];
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const from = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? length : Math.min(length, Number(last) + 1);
  if (from < end) return [from, end];
  const message = `No byte of the answer is in the range ${show(headers.range)}: it has ${length} bytes.`;
  const error = { code: 'invalid_request', message } as const;
  throw new ApiError(error, { 'content-range': `bytes */${length}`, 'accept-ranges': 'bytes' }, 416);
}

/** A strong ETag of bytes. */
export async function etagOf(bytes: Buffer<ArrayBuffer>): Promise<string> {
  const digest = await webcrypto.subtle.digest('SHA-256', bytes); // in a thread of libuv
  return `"${Buffer.from(digest).toString('base64url')}"`;
}

/** Sends a file, or the range of it that `rangeOf` gave. */
export function sendFile(
  reply: FastifyReply,
  { bytes }: ResponseFile,
  range: readonly [from: number, end: number] | undefined,
): FastifyReply {
  reply.header('accept-ranges', 'bytes');
  if (range === undefined) return reply.send(bytes);
  const [from, end] = range;
  reply.code(206).header('content-range', `bytes ${from}-${end - 1}/${bytes.length}`);
  return reply.send(bytes.subarray(from, end));
}
