import type { Readable } from 'node:stream';
import zlib from 'node:zlib';
import { ApiError } from '../../prediction/errors/api-error.js';

/** An upload that is slower is given up. */
const MIN_BYTES_PER_SECOND = 16 * 1024;

/** Size of the chunks in which a body is decompressed. */
const CHUNK_BYTES = 64 * 1024;

interface UploadRules {
  readonly isGzip: boolean;
  /** Limit of the body as sent, and of its decompressed size. */
  readonly limitBytes: number;
  /** Memory for the body: as much as was announced, or the limit. */
  readonly memory: Buffer;
  /** The time over which the speed of an upload is averaged. */
  readonly windowMs: number;
}

/**
 * Reads a large body into memory, however long it takes as long as it moves.
 * @returns its size
 * @throws ApiError payload_too_large; invalid_request for what is not gzip though announced so, and with 408 where it is
 * too slow; Error with the status code 400 where the caller breaks off. Nothing is kept then
 */
export function readUpload(payload: Readable, rules: UploadRules): Promise<number> {
  const { isGzip, limitBytes, memory, windowMs } = rules;
  return new Promise((resolve, reject) => {
    let length = 0;
    const gunzip = isGzip ? zlib.createGunzip({ chunkSize: CHUNK_BYTES }) : undefined;
    let receivedBytes = 0;
    let receivedBefore = 0;
    let isComplete = false;
    let isPastGzip = false;
    const minBytes = (MIN_BYTES_PER_SECOND * windowMs) / 1000;
    const checkSpeed = () => {
      if (!isComplete && receivedBytes - receivedBefore < minBytes) fail(tooSlow(windowMs));
      receivedBefore = receivedBytes;
    };
    // After what has arrived by then is read: this thread may have been busy.
    const watch = setInterval(() => setImmediate(checkSpeed), windowMs);
    const stop = () => {
      isComplete = true;
      clearInterval(watch);
      payload.off('data', onData).off('end', onEnd).off('error', breakOff);
      payload.on('error', () => {}); // of a caller who breaks off afterwards
      gunzip
        ?.removeAllListeners()
        .on('error', () => {})
        .destroy();
    };
    const fail = (error: Error) => {
      stop();
      payload.resume();
      reject(error);
    };
    const breakOff = (error: Error) => fail(Object.assign(error, { statusCode: 400 })); // The caller broke off.
    const append = (chunk: Buffer) => {
      if (length + chunk.length > memory.length) fail(tooLarge(limitBytes));
      else length += chunk.copy(memory, length);
    };
    const decompress = (gunzip: zlib.Gunzip, chunk: Buffer) => {
      const endBytes = receivedBytes;
      // Node's gunzip drops what follows a member if that begins with a zero.
      const checkRest = (error?: Error | null) => {
        if (error) return; // reported as an event
        const rest = isPastGzip ? chunk : chunk.subarray(chunk.length - (endBytes - gunzip.bytesWritten));
        isPastGzip ||= rest.length > 0;
        if (rest.some((byte) => byte !== 0)) fail(notGzip());
      };
      if (!gunzip.write(chunk, checkRest)) payload.pause();
    };
    const onData = (chunk: Buffer) => {
      receivedBytes += chunk.length;
      if (receivedBytes > limitBytes) fail(tooLarge(limitBytes));
      else if (gunzip === undefined) append(chunk);
      else decompress(gunzip, chunk);
    };
    const finish = () => {
      stop();
      resolve(length);
    };
    const onEnd = () => {
      isComplete = true;
      if (gunzip === undefined) finish();
      else gunzip.end();
    };
    gunzip
      ?.on('data', append)
      .on('drain', () => payload.resume())
      .on('error', () => fail(notGzip()))
      .on('close', finish); // not 'end', which comes with the last member, before the rest is checked
    payload.on('data', onData).on('end', onEnd).on('error', breakOff);
  });
}

export function tooLarge(limitBytes: number): ApiError {
  return new ApiError({
    code: 'payload_too_large',
    message: `The body is larger than the limit of ${limitBytes} bytes, before or after decompression.`,
    details: { limit_bytes: limitBytes },
  });
}

function tooSlow(windowMs: number): ApiError {
  const message =
    `The body arrived too slowly: send at least ${MIN_BYTES_PER_SECOND / 1024} KiB a second, averaged over ` +
    `${windowMs / 1000} s.`;
  return new ApiError({ code: 'invalid_request', message }, { connection: 'close' }, 408);
}

function notGzip(): ApiError {
  const message =
    'the body is truncated, not gzip, or has more than zeros after its end, though Content-Encoding says gzip';
  return new ApiError({
    code: 'invalid_request',
    message: `The table is not valid: ${message}.`,
    details: { issues: [{ path: '', message }] },
  });
}
