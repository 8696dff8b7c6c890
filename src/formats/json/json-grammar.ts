/*
 * The grammar of JSON over bytes, for lines of tables, whose values are copied as they are written, and for the position of
 * an error, which the messages of JSON.parse often lack. Each function takes valid UTF-8 and the offset where something
 * starts, and returns the offset after it or throws a JsonError. Together they accept what JSON.parse accepts, create nothing
 * from the values, and take time proportional to the bytes.
 */
export const [QUOTE, COMMA, OPEN_ARRAY, BACKSLASH, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('",[\\{}');
const [MINUS, POINT, ZERO, NINE, CLOSE_ARRAY, SPACE, PLUS, COLON] = Buffer.from('-.09] +:');
const [LOWER_E, UPPER_E, LOWER_U, LINE_FEED, CARRIAGE_RETURN, TAB] = Buffer.from('eEu\n\r\t');

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

export function skipSpace(bytes: Buffer, at: number): number {
  let next = at;
  while (next < bytes.length && isSpace(bytes[next])) next++;
  return next;
}

export function byteEnd(bytes: Buffer, at: number, byte: number): number {
  if (bytes[at] !== byte) throw new JsonError(at);
  return at + 1;
}

export function startsWith(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}

export function documentEnd(bytes: Buffer): number {
  const end = skipSpace(bytes, valueEnd(bytes, skipSpace(bytes, 0)));
  if (end < bytes.length) throw new JsonError(end);
  return end;
}

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

/** The colon after a member's name, and the white space around it. */
export function colonEnd(bytes: Buffer, start: number): number {
  return skipSpace(bytes, byteEnd(bytes, skipSpace(bytes, start), COLON));
}

export function stringEnd(bytes: Buffer, start: number): number {
  let at = byteEnd(bytes, start, QUOTE);
  while (true) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at = escapeEnd(bytes, at + 1);
    else if (byte === QUOTE) return at + 1;
    else if (byte >= SPACE) at++;
    else throw new JsonError(at); // a control character, or no more bytes
  }
}

/** An escape after its backslash. */
function escapeEnd(bytes: Buffer, start: number): number {
  if (ESCAPES.has(bytes[start])) return start + 1;
  const at = byteEnd(bytes, start, LOWER_U);
  for (let i = at; i < at + 4; i++) if (!HEX_DIGITS.has(bytes[i])) throw new JsonError(i);
  return at + 4;
}

/** A number or a literal. */
function scalarEnd(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === MINUS || isDigit(first)) return numberEnd(bytes, first === MINUS ? start + 1 : start);
  const literal = LITERALS.find((text) => text[0] === first);
  if (literal === undefined) throw new JsonError(start);
  for (let i = 1; i < literal.length; i++) byteEnd(bytes, start + i, literal[i]);
  return start + literal.length;
}

/** A number after its sign. */
function numberEnd(bytes: Buffer, start: number): number {
  let at = bytes[start] === ZERO ? start + 1 : digitsEnd(bytes, start);
  if (bytes[at] === POINT) at = digitsEnd(bytes, at + 1);
  if (bytes[at] !== LOWER_E && bytes[at] !== UPPER_E) return at;
  at++;
  return digitsEnd(bytes, bytes[at] === PLUS || bytes[at] === MINUS ? at + 1 : at);
}

function digitsEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (isDigit(bytes[at])) at++;
  if (at === start) throw new JsonError(at);
  return at;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
