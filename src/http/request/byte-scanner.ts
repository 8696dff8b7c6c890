/** Thrown where the bytes are not of the plain JSON that a ByteScanner reads; it says nothing of their being wrong. */
export const UNUSUAL = new Error('not plain JSON');

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const ASCII_END = 0x80;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;

/** Powers of ten that a float64 holds exactly, as far as they are needed. */
const POWERS_OF_TEN = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/** A decimal of at most this many digits is an integer over a power of ten, both exact, and so is rounded once. */
const EXACT_DIGITS = 15;

/** So many characters of ASCII are a whole number below 2^53. */
const LONGEST_WORD = 7;

/** A number that stands for a text of 1 to 7 characters of ASCII, and for no other; NaN for any other text. */
export function wordNumber(text: string): number {
  if (!/^[ -~]{1,7}$/.test(text)) return Number.NaN;
  return [...Buffer.from(text)].reduce((number, byte) => number * ASCII_END + byte, 0);
}

/** Reads plain JSON from bytes, from left to right: ASCII strings without escapes, numbers without exponents. */
export class ByteScanner {
  #at = 0;

  constructor(readonly bytes: Buffer) {}

  /** The next byte that is not white space; 0 at the end. It stays the next. */
  peek(): number {
    const { bytes } = this;
    let byte = bytes[this.#at];
    while (byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++this.#at];
    return byte ?? 0;
  }

  /** Takes the next byte that is not white space if it is this one. */
  skip(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.#at++;
    return true;
  }

  /** Takes this byte. @throws UNUSUAL where another is next */
  expect(byte: number): void {
    if (!this.skip(byte)) throw UNUSUAL;
  }

  /** @throws UNUSUAL where anything but white space is left */
  end(): void {
    this.peek();
    if (this.#at < this.bytes.length) throw UNUSUAL;
  }

  /** Takes this text, which begins with no white space, if it is next. */
  skipText(text: Buffer): boolean {
    if (this.peek() !== text[0]) return false;
    const { bytes } = this;
    for (let i = 1; i < text.length; i++) if (bytes[this.#at + i] !== text[i]) return false;
    this.#at += text.length;
    return true;
  }

  /** Takes a string of 1 to 7 characters. @returns its `wordNumber` @throws UNUSUAL for any other */
  word(): number {
    this.expect(QUOTE);
    const { bytes } = this;
    const start = this.#at;
    let number = 0;
    for (let byte = bytes[this.#at]; byte !== QUOTE; byte = bytes[++this.#at]) {
      if (byte === undefined || byte === BACKSLASH || byte < SPACE || byte >= ASCII_END) throw UNUSUAL;
      number = number * ASCII_END + byte;
    }
    const length = this.#at++ - start;
    if (length === 0 || length > LONGEST_WORD) throw UNUSUAL;
    return number;
  }

  /** Takes a number, to the same value as JSON.parse. */
  number(): number {
    this.peek();
    const { bytes } = this;
    const start = this.#at;
    const isNegative = bytes[this.#at] === MINUS;
    if (isNegative) this.#at++;
    const wholeStart = this.#at;
    let digits = this.#digits(0);
    const wholeDigits = this.#at - wholeStart;
    if (wholeDigits === 0 || (wholeDigits > 1 && bytes[wholeStart] === ZERO)) throw UNUSUAL;
    let decimals = 0;
    if (bytes[this.#at] === POINT) {
      const pointAt = this.#at++;
      digits = this.#digits(digits);
      decimals = this.#at - pointAt - 1;
      if (decimals === 0) throw UNUSUAL;
    }
    const next = bytes[this.#at];
    if (next === 0x65 || next === 0x45) throw UNUSUAL; // an exponent
    if (wholeDigits + decimals > EXACT_DIGITS) return Number(bytes.toString('latin1', start, this.#at));
    const value = digits / POWERS_OF_TEN[decimals];
    return isNegative ? -value : value;
  }

  #digits(before: number): number {
    const { bytes } = this;
    let value = before;
    let at = this.#at;
    for (let digit = bytes[at] - ZERO; digit >= 0 && digit <= 9; digit = bytes[++at] - ZERO)
      value = value * 10 + digit;
    this.#at = at;
    return value;
  }
}
