import { skipSpace } from './json-space.js';

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const NINE = 0x39;
const CAPITAL_E = 0x45;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LETTER_E = 0x65;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * What to keep of a value. Of an object: these members. Of an array: its elements, but of those that are not numbers only
 * the first few, and null for each later one. Where nothing is said, an object is kept as `{}` and an array as one of the
 * same length without elements. Any other value is kept as it is.
 */
export interface Kept {
  readonly members?: ReadonlyMap<string, Kept>;
  readonly elements?: Kept;
  /** How many elements that are not numbers. */
  readonly others?: number;
}

/**
 * The value that JSON.parse makes of bytes, as far as it is to be kept. What is not kept is passed over by its bytes:
 * JSON.parse makes an object of each, and a hidden class where the names of its members are new, which takes 0.2 s for
 * 1 MiB of them.
 * @param bytes valid JSON
 */
export function readJson(bytes: Buffer, kept: Kept): unknown {
  return readValue(bytes, skipSpace(bytes, 0), kept);
}

function readValue(bytes: Buffer, start: number, kept: Kept): unknown {
  if (bytes[start] === OPEN_OBJECT) return readObject(bytes, start, kept.members ?? new Map());
  if (bytes[start] === OPEN_ARRAY) return readArray(bytes, start, kept);
  return JSON.parse(bytes.toString('utf8', start, valueEnd(bytes, start)));
}

function readObject(bytes: Buffer, start: number, members: ReadonlyMap<string, Kept>): object {
  const names = [...members.keys()];
  /** Where the value of each name starts: of duplicates the last counts. */
  const starts = new Map<string, number>();
  let at = skipSpace(bytes, start + 1);
  while (bytes[at] !== CLOSE_OBJECT) {
    const value = skipSpace(bytes, skipSpace(bytes, stringEnd(bytes, at)) + 1);
    const nameAt = at + 1;
    for (const name of names) if (isName(bytes, nameAt, name)) starts.set(name, value);
    at = nextStart(bytes, valueEnd(bytes, value));
  }
  return Object.fromEntries(
    [...starts].map(([name, value]) => [name, readValue(bytes, value, members.get(name)!)]),
  );
}

function readArray(bytes: Buffer, start: number, { elements, others = 0 }: Kept): unknown[] {
  const first = skipSpace(bytes, start + 1);
  let at = first;
  if (elements === undefined) {
    let length = 0;
    for (; bytes[at] !== CLOSE_ARRAY; length++) at = nextStart(bytes, valueEnd(bytes, at));
    return new Array(length);
  }
  // The numbers that it starts with are parsed at once: there may be half a million.
  while (isOfNumbers(bytes[at])) at++;
  const numbersEnd = bytes[at] === CLOSE_ARRAY || at === first ? at : bytes.lastIndexOf(COMMA, at);
  const array = JSON.parse(`[${bytes.toString('latin1', first, numbersEnd)}]`) as unknown[];
  for (let count = 0; bytes[at] !== CLOSE_ARRAY; count++) {
    array.push(count < others ? readValue(bytes, at, elements) : null);
    at = nextStart(bytes, valueEnd(bytes, at));
  }
  return array;
}

/** Offset of the next member or element, or of what closes, after the last byte of a value. */
function nextStart(bytes: Buffer, end: number): number {
  const at = skipSpace(bytes, end);
  return bytes[at] === COMMA ? skipSpace(bytes, at + 1) : at;
}

/** Offset after the last byte of a value. */
function valueEnd(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return stringEnd(bytes, start);
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) return scalarEnd(bytes, start);
  let depth = 0;
  let at = start;
  do {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at);
    else {
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
      at++;
    }
  } while (depth > 0);
  return at;
}

/** Offset after the last byte of a number or literal. */
function scalarEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && !endsScalar(bytes[at])) at++;
  return at;
}

function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || byte <= SPACE;
}

/** Whether a byte, outside of strings, is of a number, a comma or white space. */
function isOfNumbers(byte: number): boolean {
  return (byte <= NINE && byte !== QUOTE) || byte === LETTER_E || byte === CAPITAL_E;
}

/** Offset after the last quote of a string. */
function stringEnd(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** Whether a string is this name. @param start offset after its first quote */
function isName(bytes: Buffer, start: number, name: string): boolean {
  let at = start;
  for (let i = 0; i < name.length; i++) {
    const isEscape = bytes[at] === BACKSLASH && bytes[at + 1] === LETTER_U;
    const code = isEscape ? hexNumber(bytes, at + 2) : bytes[at];
    if (code !== name.charCodeAt(i)) return false;
    at += isEscape ? 6 : 1;
  }
  return bytes[at] === QUOTE;
}

/** The number that four hexadecimal digits say. */
function hexNumber(bytes: Buffer, start: number): number {
  let value = 0;
  for (let i = start; i < start + 4; i++) {
    const digit = bytes[i];
    value = value * 16 + (digit & 0xf) + (digit > NINE ? 9 : 0);
  }
  return value;
}
