const WORD_BYTES = 8;

/** Bytes that are written at a time, and the most that may be written beyond the end of a fragment. */
export const STEP_BYTES = 2 * WORD_BYTES;

/** The most bytes that the JSON of a number takes. */
export const NUMBER_BYTES = 32;

/**
 * Constant JSON text: UTF-8 bytes as an even number of 64-bit words, little endian (as are all platforms of onnxruntime),
 * padded with zeros. A word is stored as the float64 of the same bits, which JavaScript reads and writes at any address in
 * one step. No byte of UTF-8 is 0xFF, so no word is a NaN, whose bits could change.
 */
export interface Fragment {
  readonly words: Float64Array;
  /** Bytes. */
  readonly length: number;
}

/** Constant JSON texts by index, in one array: separate objects would lie far apart in memory. */
export class FragmentTable {
  readonly words: Float64Array;
  readonly lengths: Uint16Array;
  /** The words from one text to the next. */
  readonly stride: number;

  constructor(texts: readonly string[]) {
    const fragments = texts.map(fragment);
    this.stride = Math.max(0, ...fragments.map(({ words }) => words.length));
    this.words = new Float64Array(texts.length * this.stride);
    this.lengths = Uint16Array.from(fragments, ({ length }) => length);
    fragments.forEach(({ words }, index) => {
      this.words.set(words, index * this.stride);
    });
  }
}

export function fragment(json: string): Fragment {
  const bytes = Buffer.from(json);
  const words = new Float64Array(2 * Math.ceil(bytes.length / STEP_BYTES));
  new Uint8Array(words.buffer).set(bytes);
  return { words, length: bytes.length };
}

const ZERO = '0'.charCodeAt(0);
const MINUS = '-'.charCodeAt(0);
const POINT = '.'.charCodeAt(0);

/** Numbers of up to this many decimals, as most coordinates are, are formatted as integers. */
const COMMON_DECIMALS = 6;
const COMMON_SCALE = 1e6;
const POWERS_OF_TEN = [1, 10, 100, 1e3, 1e4, 1e5, 1e6];
const MAX_INT32 = 2 ** 31 - 1;

const HUNDRED = 100;
/** The two digits of each number below 100 as two bytes, little endian. Tables of longer texts would not stay in the caches. */
const DIGIT_PAIRS = Uint16Array.from({ length: HUNDRED }, (_, k) =>
  Buffer.from(String(k).padStart(2, '0')).readUInt16LE(),
);
/** How many of these two digits remain without trailing zeros. */
const SIGNIFICANT = Uint8Array.from({ length: HUNDRED }, (_, k) => (k === 0 ? 0 : k % 10 === 0 ? 1 : 2));

/** Writes JSON as bytes into given memory, unchecked: its size must suffice for what is written, in whole steps. */
export class JsonWriter {
  /** Bytes written. */
  length = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(new ArrayBuffer(0));

  /** Resets the writer to the start of `memory`. */
  begin(memory: Uint8Array): void {
    this.length = 0;
    if (memory === this.#bytes) return;
    this.#bytes = memory;
    this.#view = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
  }

  /** Writes a fragment; whatever is written next replaces its padding. */
  write({ words, length }: Fragment): void {
    this.writeWords(words, 0, length);
  }

  /** Writes the text at an index of a table. */
  writeEntry({ words, lengths, stride }: FragmentTable, index: number): void {
    this.writeWords(words, index * stride, lengths[index]);
  }

  /** Writes a finite number as JSON.stringify does. */
  writeNumber(value: number): void {
    const scaled = Math.round(value * COMMON_SCALE);
    // A decimal of at most 15 digits is the shortest form of the double that equals it.
    if (Math.abs(scaled) <= MAX_INT32 && scaled / COMMON_SCALE === value)
      this.writeDecimal(scaled, COMMON_DECIMALS);
    else this.#writeAscii(String(value));
  }

  /** Writes `integer / 10^decimals` in its shortest form; |integer| < 2^31, at most 6 decimals. */
  writeDecimal(integer: number, decimals: number): void {
    const bytes = this.#bytes;
    let at = this.length;
    if (integer < 0) bytes[at++] = MINUS;
    const digits = Math.abs(integer) | 0;
    const scale = POWERS_OF_TEN[decimals];
    const whole = digits < scale ? 0 : (digits / scale) | 0;
    if (whole < 10) bytes[at++] = ZERO + whole;
    else at = writeDigits(bytes, at, whole, countDigits(whole));
    const millionths = ((digits - whole * scale) | 0) * POWERS_OF_TEN[COMMON_DECIMALS - decimals];
    this.length = millionths === 0 ? at : this.#writeFraction(at, millionths | 0);
  }

  /** Writes a point and the digits of millionths without zeros at the end. @returns where they end */
  #writeFraction(at: number, millionths: number): number {
    const view = this.#view;
    const first = (millionths / 10_000) | 0;
    const rest = millionths - 10_000 * first;
    const second = (rest / HUNDRED) | 0;
    const third = rest - HUNDRED * second;
    view.setUint8(at, POINT);
    view.setUint16(at + 1, DIGIT_PAIRS[first], true);
    view.setUint16(at + 3, DIGIT_PAIRS[second], true);
    view.setUint16(at + 5, DIGIT_PAIRS[third], true);
    if (third > 0) return at + 5 + SIGNIFICANT[third];
    return second > 0 ? at + 3 + SIGNIFICANT[second] : at + 1 + SIGNIFICANT[first];
  }

  #writeAscii(text: string): void {
    for (let i = 0; i < text.length; i++) this.#bytes[this.length++] = text.charCodeAt(i);
  }

  /** Writes the first `length` bytes of the words that start at index `from`, two words at a time. */
  writeWords(words: Float64Array, from: number, length: number): void {
    const view = this.#view;
    const end = this.length + length;
    for (let at = this.length, i = from; at < end; at += STEP_BYTES, i += 2) {
      view.setFloat64(at, words[i], true);
      view.setFloat64(at + WORD_BYTES, words[i + 1], true);
    }
    this.length = end;
  }

  /** Copies the bytes written since position `start` to `words`, starting at index `to`; the last may hold more. */
  readWords(start: number, words: Float64Array, to: number): void {
    for (let at = start, i = to; at < this.length; at += WORD_BYTES, i++)
      words[i] = this.#view.getFloat64(at, true);
  }
}

function countDigits(integer: number): number {
  let count = 1;
  for (let limit = 10; integer >= limit; limit *= 10) count++;
  return count;
}

/** Writes the last `count` digits of an integer. @returns where they end */
function writeDigits(bytes: Uint8Array, start: number, integer: number, count: number): number {
  let rest = integer;
  for (let at = start + count - 1; at >= start; at--) {
    const tenth = (rest / 10) | 0;
    bytes[at] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return start + count;
}
