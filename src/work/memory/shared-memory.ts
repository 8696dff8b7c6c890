/** Virtual memory: only what is written takes memory of the machine. */
const SEGMENT_BYTES = 64 * 1024 * 1024;
/** Ranges start at multiples of so many bytes, as the buffers of Arrow must. */
const ALIGNMENT = 64;

const aligned = (bytes: number) => Math.ceil(Math.max(1, bytes) / ALIGNMENT) * ALIGNMENT;

/** A range of memory that all threads share. */
export interface SharedRange {
  readonly memory: SharedArrayBuffer;
  readonly at: number;
  readonly length: number;
}

interface Free {
  readonly start: number;
  readonly end: number;
}

/** Memory with its free ranges, in their order. */
interface Segment {
  readonly memory: SharedArrayBuffer;
  free: readonly Free[];
}

/**
 * Memory for bodies that workers read. Ranges are used again: V8 does not count shared memory, and would not collect it
 * before much of other kinds has gathered.
 */
export class SharedMemory {
  readonly #segments: Segment[] = [];

  /** A range, its content undefined. */
  take(bytes: number): SharedRange {
    const length = aligned(bytes);
    const fits = ({ start, end }: Free) => end - start >= length;
    let segment = this.#segments.find(({ free }) => free.some(fits));
    if (segment === undefined) {
      const memory = new SharedArrayBuffer(Math.max(length, SEGMENT_BYTES));
      segment = { memory, free: [{ start: 0, end: memory.byteLength }] };
      this.#segments.push(segment);
    }
    const index = segment.free.findIndex(fits);
    const { start, end } = segment.free[index];
    segment.free = segment.free.toSpliced(index, 1, ...nonEmpty({ start: start + length, end }));
    return { memory: segment.memory, at: start, length: bytes };
  }

  /** Gives the end of a range back. @param bytes that it keeps */
  shorten(range: SharedRange, bytes: number): SharedRange {
    const [kept, end] = [aligned(bytes), aligned(range.length)];
    if (kept < end) this.#add(range.memory, { start: range.at + kept, end: range.at + end });
    return { ...range, length: bytes };
  }

  /** Gives a range back: no thread may read it any more. */
  release({ memory, at, length }: SharedRange): void {
    this.#add(memory, { start: at, end: at + aligned(length) });
  }

  #add(memory: SharedArrayBuffer, range: Free): void {
    const segment = this.#segments.find((each) => each.memory === memory);
    if (segment === undefined) throw new Error('memory of another owner');
    const before = segment.free.filter(({ end }) => end < range.start);
    const after = segment.free.filter(({ start }) => start > range.end);
    const touching = segment.free.slice(before.length, segment.free.length - after.length);
    const start = Math.min(range.start, ...touching.map((free) => free.start));
    const end = Math.max(range.end, ...touching.map((free) => free.end));
    segment.free = [...before, { start, end }, ...after];
  }
}

function nonEmpty(range: Free): Free[] {
  return range.end > range.start ? [range] : [];
}
