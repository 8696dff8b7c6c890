import { skipSpace } from './json-space.js';

const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const CAPITAL_E = 0x45;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const LETTER_E = 0x65;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** `}` follows `{` at this distance, and so does `]` follow `[`. */
const CLOSING = CLOSE_OBJECT - OPEN_OBJECT;

const ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
const LITERALS = ['true', 'false', 'null'].map((text) => Buffer.from(text));

/** Thrown where a byte cannot be. */
class JsonError extends Error {
  constructor(readonly offset: number) {
    super('not JSON');
  }
}

/**
 * Holds bytes against the grammar of JSON: it accepts what JSON.parse accepts. It makes nothing of the values and keeps a
 * byte for each array or object that is open, so nothing in a body makes it slow.
 * @param bytes valid UTF-8
 * @returns offset of the first byte that cannot be JSON (their number where more are needed), or nothing where they are JSON
 */
export function findJsonError(bytes: Buffer): number | undefined {
  try {
    const end = skipSpace(bytes, valueEnd(bytes, skipSpace(bytes, 0)));
    return end === bytes.length ? undefined : end;
  } catch (error) {
    if (error instanceof JsonError) return error.offset;
    throw error;
  }
}

/** Each of these takes the offset of the first byte of something. @returns that after its last @throws JsonError */
function valueEnd(bytes: Buffer, start: number): number {
  /** What closes the arrays and objects that are open. */
  const closers = Buffer.allocUnsafe(bytes.length);
  let depth = 0;
  let at = start;
  do {
    const byte = bytes[at];
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      const closer = byte + CLOSING;
      closers[depth++] = closer;
      at = skipSpace(bytes, at + 1);
      if (bytes[at] !== closer) {
        if (closer === CLOSE_OBJECT) at = nameEnd(bytes, at);
        continue; // with the first value in it
      }
    } else at = skipSpace(bytes, scalarEnd(bytes, at));

    while (depth > 0 && bytes[at] === closers[depth - 1]) {
      depth--;
      at = skipSpace(bytes, at + 1);
    }
    if (depth > 0) {
      at = skipSpace(bytes, byteEnd(bytes, at, COMMA));
      if (closers[depth - 1] === CLOSE_OBJECT) at = nameEnd(bytes, at);
    }
  } while (depth > 0);
  return at;
}

/** A member's name, its colon and white space around that. */
function nameEnd(bytes: Buffer, start: number): number {
  const colon = skipSpace(bytes, stringEnd(bytes, start));
  return skipSpace(bytes, byteEnd(bytes, colon, COLON));
}

function scalarEnd(bytes: Buffer, start: number): number {
  if (bytes[start] === QUOTE) return stringEnd(bytes, start);
  for (const literal of LITERALS) if (bytes[start] === literal[0]) return literalEnd(bytes, start, literal);
  return numberEnd(bytes, start);
}

function stringEnd(bytes: Buffer, start: number): number {
  let at = byteEnd(bytes, start, QUOTE);
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte < SPACE) break;
    at = byte === BACKSLASH ? escapeEnd(bytes, at) : at + 1;
  }
  throw new JsonError(at);
}

function escapeEnd(bytes: Buffer, start: number): number {
  const at = start + 1;
  if (at < bytes.length && ESCAPES.has(bytes[at])) return at + 1;
  let end = byteEnd(bytes, at, LETTER_U);
  while (end < at + 5) {
    if (!isHexDigit(bytes[end])) throw new JsonError(end);
    end++;
  }
  return end;
}

function numberEnd(bytes: Buffer, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  at = bytes[at] === ZERO ? at + 1 : digitsEnd(bytes, at);
  if (bytes[at] === POINT) at = digitsEnd(bytes, at + 1);
  if (bytes[at] === LETTER_E || bytes[at] === CAPITAL_E) {
    at++;
    if (bytes[at] === PLUS || bytes[at] === MINUS) at++;
    at = digitsEnd(bytes, at);
  }
  return at;
}

function digitsEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && isDigit(bytes[at])) at++;
  if (at === start) throw new JsonError(at);
  return at;
}

function literalEnd(bytes: Buffer, start: number, literal: Buffer): number {
  for (let i = 0; i < literal.length; i++) byteEnd(bytes, start + i, literal[i]);
  return start + literal.length;
}

function byteEnd(bytes: Buffer, at: number, byte: number): number {
  if (bytes[at] !== byte) throw new JsonError(at);
  return at + 1;
}

function isHexDigit(byte = 0): boolean {
  const lower = byte | SPACE;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
