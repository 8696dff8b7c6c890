/** Below this size Node's own slabs are cheaper. */
const MIN_POOLED_BYTES = 4096;
const SIZE_STEP_BYTES = 64 * 1024;
/** Memory kept for later use. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Memory for answers that is reused after they are sent: newly allocated memory makes V8 collect garbage. */
export class BufferPool {
  readonly #free: ArrayBuffer[] = [];
  /** What was allocated here: a small buffer is part of a slab of Node's, which others use too. */
  readonly #own = new WeakSet<ArrayBufferLike>();
  #freeBytes = 0;

  /** `length` bytes, their content undefined. */
  acquire(length: number): Buffer {
    if (length < MIN_POOLED_BYTES) return Buffer.allocUnsafe(length);
    const index = this.#free.findLastIndex(({ byteLength }) => byteLength >= length);
    if (index !== -1) {
      const [memory] = this.#free.splice(index, 1);
      this.#freeBytes -= memory.byteLength;
      return Buffer.from(memory, 0, length);
    }
    const memory = new ArrayBuffer(Math.ceil(length / SIZE_STEP_BYTES) * SIZE_STEP_BYTES);
    this.#own.add(memory);
    return Buffer.from(memory, 0, length);
  }

  /** Gives back the memory of a buffer, given any view of it. Nobody may read it any more; call this only once. */
  release({ buffer: memory }: Buffer): void {
    if (!this.#own.has(memory) || this.#freeBytes + memory.byteLength > MAX_KEPT_BYTES) return;
    this.#free.push(memory as ArrayBuffer);
    this.#freeBytes += memory.byteLength;
  }
}

/** The pool of this thread. */
export const buffers = new BufferPool();
