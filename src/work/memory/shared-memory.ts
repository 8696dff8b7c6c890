/** Virtual memory: only what is written takes memory of the machine. */
const SEGMENT_BYTES = 64 * 1024 * 1024;
/** Ranges start at multiples of this many bytes, as buffers of Arrow must. */
const ALIGNMENT = 64;

const aligned = (bytes: number) => Math.ceil(Math.max(1, bytes) / ALIGNMENT) * ALIGNMENT;

export interface SharedRange {
  readonly memory: SharedArrayBuffer;
  readonly at: number;
  readonly length: number;
}

/**
 * Shared memory for bodies that workers read. Ranges are reused: V8 does not count shared memory, and would collect it
 * only when enough other memory has become garbage.
 */
export class SharedMemory {
  /** Free ranges, lowest first so that little memory is ever written to. No two of them touch. */
  #free: SharedRange[] = [];

  /** A range, its content undefined. */
  take(bytes: number): SharedRange {
    const length = aligned(bytes);
    let index = this.#free.findIndex((free) => free.length >= length);
    if (index === -1) {
      const memory = new SharedArrayBuffer(Math.max(length, SEGMENT_BYTES));
      index = this.#free.push({ memory, at: 0, length: memory.byteLength }) - 1;
    }
    const { memory, at, length: freeBytes } = this.#free[index];
    const rest = { memory, at: at + length, length: freeBytes - length };
    this.#free.splice(index, 1, ...(rest.length > 0 ? [rest] : []));
    return { memory, at, length: bytes };
  }

  /** Gives the end of a range back. @param bytes that the range keeps */
  shorten(range: SharedRange, bytes: number): SharedRange {
    const [kept, taken] = [aligned(bytes), aligned(range.length)];
    if (kept < taken) this.release({ ...range, at: range.at + kept, length: taken - kept });
    return { ...range, length: bytes };
  }

  /** Gives a range back: no thread may read it any more. */
  release({ memory, at, length }: SharedRange): void {
    const end = at + aligned(length);
    const ofMemory = this.#free.filter((free) => free.memory === memory);
    const before = ofMemory.find((free) => free.at + free.length === at);
    const after = ofMemory.find((free) => free.at === end);
    const start = before?.at ?? at;
    const joined = { memory, at: start, length: end + (after?.length ?? 0) - start };
    const apart = this.#free.filter((free) => free !== before && free !== after);
    this.#free = [...apart, joined].sort((a, b) => a.at - b.at);
  }
}
