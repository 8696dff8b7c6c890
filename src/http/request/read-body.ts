import type { Readable } from 'node:stream';
import { errorCodes, type FastifyRequest } from 'fastify';

/**
 * Reads the body of a request. Its memory follows the bytes that came, not the chunks they came in: at most one and a half
 * times the route's limit while a buffer is copied into a larger one, else at most the limit.
 * @param done gets the body, or FST_ERR_CTP_BODY_TOO_LARGE where more is announced or comes; nothing is kept then
 */
export function readBody(
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const limitBytes = request.routeOptions.bodyLimit;
  if (Number(request.headers['content-length']) > limitBytes) {
    done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    return;
  }
  const body = new BodyBuffer(limitBytes);
  const onData = (chunk: Buffer) => {
    if (body.append(chunk)) return;
    stop();
    done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
  };
  const onEnd = () => {
    stop();
    done(null, body.bytes());
  };
  const onError = (error: Error) => {
    stop();
    done(Object.assign(error, { statusCode: 400 })); // The caller broke off.
  };
  const stop = () => payload.off('data', onData).off('end', onEnd).off('error', onError);
  payload.on('data', onData).on('end', onEnd).on('error', onError);
}

const NOTHING = Buffer.alloc(0);

/** Bytes that are appended to one buffer, which grows. */
class BodyBuffer {
  #memory: Buffer = NOTHING;
  #length = 0;

  constructor(private readonly limitBytes: number) {}

  /** @returns whether the chunk fits; where it does not, nothing is kept */
  append(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.limitBytes) return false;
    // Most bodies are one chunk: it is the buffer, unless it keeps more memory alive than its own bytes.
    if (this.#length === 0 && chunk.length === chunk.buffer.byteLength) {
      this.#memory = chunk;
    } else {
      if (length > this.#memory.length) this.#grow(length);
      chunk.copy(this.#memory, this.#length);
    }
    this.#length = length;
    return true;
  }

  bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const memory = Buffer.allocUnsafeSlow(capacityFor(length, this.limitBytes));
    this.#memory.copy(memory, 0, 0, this.#length);
    this.#memory = memory;
  }
}

/** The smallest of the limit, its half, its quarter and so on that holds `length`: a buffer is at most half of the next. */
function capacityFor(length: number, limitBytes: number): number {
  let capacity = limitBytes;
  for (let half = limitBytes; half >= length && half > 1; half = Math.ceil(half / 2)) capacity = half;
  return capacity;
}
