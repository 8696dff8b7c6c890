import { PassThrough, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import zlib from 'node:zlib';
import { ApiError } from '../../formats/errors/api-error.js';
import { tableError } from '../../formats/table/table-request.js';
import { transportError } from '../server/malformed-requests.js';

const MIN_BYTES_PER_SECOND = 16 * 1024;

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a large body into memory. It has a minimum speed but no time limit.
 * @param limitBytes the most bytes of the body as sent, and of what it decompresses to
 * @param windowMs over which the speed of the upload is averaged
 * @returns its size
 * @throws ApiError payload_too_large, or invalid_request if the body is not gzip as announced or, with 408, too slow;
 *   Error with the status code 400 if the caller disconnects
 */
export async function readUpload(
  payload: Readable,
  { isGzip, limitBytes }: { readonly isGzip: boolean; readonly limitBytes: number },
  memory: Buffer,
  windowMs: number,
): Promise<number> {
  const gunzip = isGzip ? zlib.createGunzip({ chunkSize: CHUNK_BYTES }) : undefined;
  const decoder = gunzip ?? new PassThrough();
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    decoder.destroy(error);
  };
  let length = 0;
  decoder.on('data', (chunk: Buffer) => {
    if (length + chunk.length > memory.length) fail(tooLarge(limitBytes));
    else length += chunk.copy(memory, length);
  });
  /** Bytes up to the first zero after a gzip member: gunzip ends there, and drops the rest without an error. */
  let gzipBytes = Number.POSITIVE_INFINITY;
  gunzip?.once('end', () => {
    gzipBytes = gunzip.bytesWritten;
  });
  let receivedBytes = 0;
  /** Bytes received, without the zeros at their end. */
  let contentBytes = 0;
  const count = (chunk: Buffer) => {
    const content = chunk.findLastIndex((byte) => byte !== 0) + 1;
    if (content > 0) contentBytes = receivedBytes + content;
    receivedBytes += chunk.length;
    if (receivedBytes > limitBytes) fail(tooLarge(limitBytes));
  };
  let receivedBefore = 0;
  const checkSpeed = () => {
    const isSlow = receivedBytes - receivedBefore < (MIN_BYTES_PER_SECOND * windowMs) / 1000;
    if (isSlow && !payload.readableEnded) fail(tooSlow(windowMs));
    receivedBefore = receivedBytes;
  };
  // `setImmediate`, so that bytes that arrived while this thread was busy are counted first.
  const watch = setInterval(() => setImmediate(checkSpeed), windowMs);
  // The caller disconnected. The listener stays: an error after the end would be thrown otherwise.
  payload.on('error', (error) => fail(Object.assign(error, { statusCode: 400 })));
  payload.on('data', count).pipe(decoder);
  try {
    await finished(decoder);
  } catch {
    payload.off('data', count).resume();
    throw failure ?? notGzip();
  } finally {
    clearInterval(watch);
  }
  if (contentBytes > gzipBytes) throw notGzip();
  return length;
}

export function tooLarge(limitBytes: number, when = ', before or after decompression'): ApiError {
  const message = `The body is larger than the limit of ${limitBytes} bytes${when}.`;
  return new ApiError({ code: 'payload_too_large', message, details: { limit_bytes: limitBytes } });
}

function tooSlow(windowMs: number): ApiError {
  const rate = `${MIN_BYTES_PER_SECOND / 1024} KiB a second, averaged over ${windowMs / 1000} s`;
  return transportError(`The body arrived too slowly: send at least ${rate}.`, 408);
}

function notGzip(): ApiError {
  return tableError('the body is truncated, not gzip, or followed by other data; Content-Encoding says gzip');
}
