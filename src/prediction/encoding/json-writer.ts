/** Bytes of a word, and the most that may be written beyond the end of a fragment. */
export const WORD_BYTES = 8;

/** The most bytes that the JSON of a number takes. */
export const NUMBER_BYTES = 32;

/**
 * Constant JSON text: UTF-8 bytes as 64-bit words, little endian, the last one padded with zeros. A word is stored as the
 * float64 of the same bits, which JavaScript reads and writes at any address in one step. No byte of UTF-8 is 0xFF, so
 * that no word is a NaN, whose bits could change.
 */
export interface Fragment {
  readonly words: Float64Array;
  /** Bytes. */
  readonly length: number;
}

/** Prepares JSON text. */
export function fragment(json: string): Fragment {
  const bytes = Buffer.from(json);
  const words = new Float64Array(Math.ceil(bytes.length / WORD_BYTES));
  const padded = new DataView(new ArrayBuffer(words.length * WORD_BYTES));
  bytes.forEach((byte, at) => {
    padded.setUint8(at, byte);
  });
  for (let i = 0; i < words.length; i++) words[i] = padded.getFloat64(i * WORD_BYTES, true);
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

/** The JSON of k / 10,000 at index k: "0", "0.0001" ... "1". None is longer than a word. */
const TEN_THOUSANDTHS = new Float64Array(10_001);
const TEN_THOUSANDTHS_BYTES = new Uint8Array(10_001);
for (let k = 0; k <= 10_000; k++) {
  const { words, length } = fragment(String(k / 10_000));
  TEN_THOUSANDTHS[k] = words[0];
  TEN_THOUSANDTHS_BYTES[k] = length;
}

/** Writes JSON as bytes into given memory, unchecked: its size must suffice for what is written, in whole words. */
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

  /** Writes a fragment, eight bytes at a time; whatever is written next replaces the padding of its last word. */
  write({ words, length }: Fragment): void {
    const view = this.#view;
    const start = this.length;
    for (let i = 0; i < words.length; i++) view.setFloat64(start + i * WORD_BYTES, words[i], true);
    this.length = start + length;
  }

  /** Writes k / 10,000 in its shortest form, k an integer from 0 to 65,535; fast up to 10,000. */
  writeTenThousandths(k: number): void {
    if (k > 10_000) {
      this.writeDecimal(k, 4);
      return;
    }
    this.#view.setFloat64(this.length, TEN_THOUSANDTHS[k], true);
    this.length += TEN_THOUSANDTHS_BYTES[k];
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
    const whole = (digits / scale) | 0;
    let fraction = (digits - whole * scale) | 0;
    at = writeDigits(bytes, at, whole, countDigits(whole));
    if (fraction > 0) {
      let fractionDigits = decimals;
      while (fraction % 10 === 0) {
        fraction = (fraction / 10) | 0;
        fractionDigits--;
      }
      bytes[at++] = POINT;
      at = writeDigits(bytes, at, fraction, fractionDigits);
    }
    this.length = at;
  }

  #writeAscii(text: string): void {
    for (let i = 0; i < text.length; i++) this.#bytes[this.length++] = text.charCodeAt(i);
  }

  /** Writes the first `length` bytes of the words that start at index `from`. */
  writeWords(words: Float64Array, from: number, length: number): void {
    const view = this.#view;
    for (let at = this.length, i = from; at < this.length + length; at += WORD_BYTES, i++)
      view.setFloat64(at, words[i], true);
    this.length += length;
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
