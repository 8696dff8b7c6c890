const NOTHING = Buffer.alloc(0);

/**
 * Collects a body. Its memory follows the bytes that came, not the chunks they came in: at most one and a half times the
 * limit while a buffer is copied into a larger one, else at most the limit.
 */
export class BodyBuffer {
  #memory: Buffer = NOTHING;
  #length = 0;

  constructor(private readonly limitBytes: number) {}

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
}

/** The smallest of the limit, its half, its quarter and so on that holds `length`: a buffer is at most half of the next. */
function capacityFor(length: number, limitBytes: number): number {
  return Math.ceil(limitBytes / 2 ** Math.floor(Math.log2(limitBytes / length)));
}
