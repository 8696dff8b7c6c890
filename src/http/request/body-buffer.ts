const NOTHING = Buffer.alloc(0);

/**
 * Collects a body. Its memory follows the bytes that came, not the chunks they came in: at most one and a half times the
 * limit while a buffer is copied into a larger one, else at most the limit.
 */
export class BodyBuffer {
  #memory: Buffer = NOTHING;
  #length = 0;

  /** @param announcedBytes the size of the body, if known: its memory is then taken at once, and used as the bytes come */
  constructor(
    private readonly limitBytes: number,
    announcedBytes = 0,
  ) {
    if (announcedBytes > 0) this.#memory = Buffer.allocUnsafeSlow(announcedBytes);
  }

  /** @returns false, and takes nothing, where the body would be larger than the limit */
  append(chunk: Buffer): boolean {
    const start = this.#length;
    const length = start + chunk.length;
    if (length > this.limitBytes) return false;
    this.#length = length;
    // Most bodies are one chunk: it is the buffer, unless it keeps more memory alive than its own bytes.
    if (start === 0 && this.#memory === NOTHING && chunk.length === chunk.buffer.byteLength) {
      this.#memory = chunk;
      return true;
    }
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(capacityFor(length, this.limitBytes));
      this.#memory.copy(larger, 0, 0, start);
      this.#memory = larger;
    }
    chunk.copy(this.#memory, start);
    return true;
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  /** The bytes in memory of exactly their size, which can be transferred to another thread. */
  transferable(): Uint8Array<ArrayBuffer> {
    const { buffer } = this.#memory;
    // NOTHING is shared: transferred once, it would be detached for all.
    const isOwn = this.#memory !== NOTHING && buffer instanceof ArrayBuffer;
    return isOwn && buffer.byteLength === this.#length ? new Uint8Array(buffer) : new Uint8Array(this.bytes);
  }
}

/** The smallest of the limit, its half, its quarter and so on that holds `length`: a buffer is at most half of the next. */
function capacityFor(length: number, limitBytes: number): number {
  return Math.ceil(limitBytes / 2 ** Math.floor(Math.log2(limitBytes / length)));
}
