export const QUOTE = 0x22;
export const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
const PLUS = 0x2b;
const COLON = 0x3a;
const LETTER_E = 0x65;
const LETTER_U = 0x75;
/** Set in lower-case letters, clear in upper-case ones. */
const LOWER_CASE = 0x20;

const ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
const HEX_DIGITS = new Set(Buffer.from('0123456789abcdefABCDEF'));
const LITERALS = ['true', 'false', 'null'].map((text) => Buffer.from(text));

/** Thrown for bytes that JSON.parse would reject. */
export class JsonError extends Error {
  /** @param offset of the first byte that cannot be JSON; the number of bytes where more are needed */
  constructor(readonly offset: number) {
    super('not JSON');
  }
}

/*
 * Each function takes valid UTF-8 and the offset where something starts and returns the offset after it. Together they
 * accept what JSON.parse accepts, create nothing from the values, and take time proportional to the bytes.
 */

export function skipSpace(bytes: Buffer, at: number): number {
  let next = at;
  while (next < bytes.length && isSpace(bytes[next])) next++;
  return next;
}

/** @throws JsonError where another byte is there */
export function byteEnd(bytes: Buffer, at: number, byte: number): number {
  if (bytes[at] !== byte) throw new JsonError(at);
  return at + 1;
}

export function startsWith(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}

/** A document, which is one value. @param rootEnd returns the offset after the value that starts at an offset @throws JsonError */
export function documentEnd(bytes: Buffer, rootEnd: (at: number) => number): void {
  const at = skipSpace(bytes, rootEnd(skipSpace(bytes, 0)));
  if (at < bytes.length) throw new JsonError(at);
}

/** A value. @throws JsonError */
export function valueEnd(bytes: Buffer, start: number): number {
  const byte = bytes[start];
  if (byte === QUOTE) return stringEnd(bytes, start);
  return byte === OPEN_OBJECT || byte === OPEN_ARRAY ? containerEnd(bytes, start) : scalarEnd(bytes, start);
}

/** The byte that closes each array or object that is open; it grows with the deepest value. */
let closers = new Uint8Array(64);

/** An array or object. A loop, since callers may nest values deeper than the stack. */
function containerEnd(bytes: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  while (true) {
    const byte = bytes[at];
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      const closer = byte === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY;
      if (depth === closers.length) closers = Buffer.concat([closers, closers]);
      closers[depth++] = closer;
      at = skipSpace(bytes, at + 1);
      if (bytes[at] !== closer) {
        if (closer === CLOSE_OBJECT) at = colonEnd(bytes, stringEnd(bytes, at));
        continue; // with the first value in it
      }
    } else at = skipSpace(bytes, byte === QUOTE ? stringEnd(bytes, at) : scalarEnd(bytes, at));

    while (bytes[at] === closers[depth - 1]) {
      if (--depth === 0) return at + 1;
      at = skipSpace(bytes, at + 1);
    }
    at = skipSpace(bytes, byteEnd(bytes, at, COMMA));
    if (closers[depth - 1] === CLOSE_OBJECT) at = colonEnd(bytes, stringEnd(bytes, at));
  }
}

/** The colon after a member's name, and the white space around it. @throws JsonError */
export function colonEnd(bytes: Buffer, start: number): number {
  return skipSpace(bytes, byteEnd(bytes, skipSpace(bytes, start), COLON));
}

/** A string. @throws JsonError */
export function stringEnd(bytes: Buffer, start: number): number {
  let at = plainTextEnd(bytes, byteEnd(bytes, start, QUOTE));
  while (bytes[at] === BACKSLASH) at = plainTextEnd(bytes, escapeEnd(bytes, at));
  return byteEnd(bytes, at, QUOTE);
}

/** Characters of a string as far as they stand for themselves: up to a quote, an escape or a control character. */
function plainTextEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && isPlain(bytes[at])) at++;
  return at;
}

function isPlain(byte: number): boolean {
  return byte > BACKSLASH || (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH);
}

function escapeEnd(bytes: Buffer, start: number): number {
  const at = start + 1;
  if (at < bytes.length && ESCAPES.has(bytes[at])) return at + 1;
  let end = byteEnd(bytes, at, LETTER_U);
  while (end < at + 5) {
    if (!HEX_DIGITS.has(bytes[end])) throw new JsonError(end);
    end++;
  }
  return end;
}

/** A number or a literal. */
function scalarEnd(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === MINUS || isDigit(first)) return numberEnd(bytes, first === MINUS ? start + 1 : start);
  for (const literal of LITERALS) {
    if (first !== literal[0]) continue;
    for (let i = 1; i < literal.length; i++) byteEnd(bytes, start + i, literal[i]);
    return start + literal.length;
  }
  throw new JsonError(start);
}

/** A number after its sign. */
function numberEnd(bytes: Buffer, start: number): number {
  let at = bytes[start] === ZERO ? start + 1 : digitsEnd(bytes, start);
  if (bytes[at] === POINT) at = digitsEnd(bytes, at + 1);
  if ((bytes[at] | LOWER_CASE) !== LETTER_E) return at;
  at++;
  if (bytes[at] === PLUS || bytes[at] === MINUS) at++;
  return digitsEnd(bytes, at);
}

function digitsEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && isDigit(bytes[at])) at++;
  if (at === start) throw new JsonError(at);
  return at;
}

function isSpace(byte: number): boolean {
  return byte <= SPACE && (byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/*
 * Each function takes bytes whose grammar was checked and the offset where a value starts. At the offset 0 of a document
 * that is an object, none finds what it looks for: 0 can stand for "absent".
 */

/** Powers of ten that a float64 holds exactly, as far as they are needed. */
const POWERS_OF_TEN = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/** A decimal of at most this many digits is an integer over a power of ten, both exact, and so is rounded once. */
const EXACT_DIGITS = 15;

/** A number, the same as JSON.parse's; NaN for any other value. */
export function numberAt(bytes: Buffer, start: number): number {
  const isNegative = bytes[start] === MINUS;
  let at = isNegative ? start + 1 : start;
  let digits = 0;
  let count = 0;
  let pointAt = 0;
  for (let byte = bytes[at]; (byte >= ZERO && byte <= NINE) || byte === POINT; byte = bytes[++at]) {
    if (byte === POINT) pointAt = at;
    else {
      digits = digits * 10 + byte - ZERO;
      count++;
    }
  }
  if (count === 0) return Number.NaN;
  const hasExponent = bytes[at] === 0x65 || bytes[at] === 0x45;
  if (count > EXACT_DIGITS || hasExponent) {
    const end = hasExponent ? valueEnd(bytes, start) : at;
    return Number(bytes.toString('latin1', start, end));
  }
  const value = pointAt === 0 ? digits : digits / POWERS_OF_TEN[at - pointAt - 1];
  return isNegative ? -value : value;
}
