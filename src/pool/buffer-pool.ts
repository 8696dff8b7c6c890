/** Below this Node's own slabs are cheaper. */
const SMALL_BYTES = 4096;
const SIZE_STEP_BYTES = 64 * 1024;
/** Memory kept for later use. */
const KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Buffers of the size of answers, used again when they were sent: what is allocated anew for every batch makes V8
 * collect garbage for its size, however little there is.
 */
export class BufferPool {
  readonly #free: ArrayBuffer[] = [];
  /** What was allocated here: a small buffer is a part of a slab of Node's, which others use too. */
  readonly #own = new WeakSet<ArrayBufferLike>();
  #freeBytes = 0;

  /** A buffer of `length` bytes, its content undefined. */
  acquire(length: number): Buffer {
    if (length < SMALL_BYTES) return Buffer.allocUnsafe(length);
    const index = this.#free.findLastIndex(({ byteLength }) => byteLength >= length);
    if (index === -1) {
      const size = Math.ceil(length / SIZE_STEP_BYTES) * SIZE_STEP_BYTES;
      const memory = new ArrayBuffer(size);
      this.#own.add(memory);
      return Buffer.from(memory, 0, length);
    }
    const [memory] = this.#free.splice(index, 1);
    this.#freeBytes -= memory!.byteLength;
    return Buffer.from(memory!, 0, length);
  }

  /** Gives a buffer back that nobody reads any more. */
  release({ buffer }: Buffer): void {
    if (!this.#own.has(buffer) || this.#freeBytes + buffer.byteLength > KEPT_BYTES) return;
    this.#free.push(buffer as ArrayBuffer);
    this.#freeBytes += buffer.byteLength;
  }
}
