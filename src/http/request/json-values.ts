import {
  arrayEnd,
  MINUS,
  NINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  POINT,
  QUOTE,
  valueEnd,
  ZERO,
} from './json-grammar.js';

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

/** A string; undefined for any other value. */
export function textAt(bytes: Buffer, start: number): string | undefined {
  if (bytes[start] !== QUOTE) return undefined;
  return JSON.parse(bytes.toString('utf8', start, valueEnd(bytes, start))) as string;
}

/**
 * A value as far as an error message shows it, in time and memory proportional to its bytes: an object without its
 * members, of an array the numbers and null for any other element, any other value as JSON.parse makes it.
 * @param others how many elements that are not numbers to keep in outline, too
 */
export function outlineAt(bytes: Buffer, start: number, others = 0): unknown {
  if (bytes[start] === OPEN_OBJECT) return {};
  if (bytes[start] !== OPEN_ARRAY)
    return textAt(bytes, start) ?? JSON.parse(bytes.toString('latin1', start, valueEnd(bytes, start)));
  const elements: unknown[] = [];
  let otherCount = 0;
  arrayEnd(bytes, start, (at) => {
    const number = numberAt(bytes, at);
    if (!Number.isNaN(number)) elements.push(number);
    else elements.push(otherCount++ < others ? outlineAt(bytes, at) : null);
    return valueEnd(bytes, at);
  });
  return elements;
}
