import { isUtf8 } from 'node:buffer';
import { ApiError } from '../errors/api-error.js';
import { show } from '../errors/shown-value.js';
import { documentEnd, JsonError, skipSpace, valueEndInSteps } from './json.js';

/** What Python's json.dumps and str write that is not JSON, and other languages, and what to write instead. */
const FOREIGN_WORDS = new Map([
  ...['NaN', 'nan', 'Infinity', 'inf', 'None', 'undefined'].map(
    (word) => [word, 'use null or leave the entry out'] as const,
  ),
  ['True', 'use true'],
  ['False', 'use false'],
]);

const LONGEST_WORD = 20;

/** What editors and PowerShell on Windows put before UTF-8; a message would show it as nothing. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Reads a body that is one JSON value.
 * @param rootEnd reads the value that starts at an offset and returns the offset after it; may throw JsonError
 * @throws ApiError invalid_json, exactly where JSON.parse would reject the body
 */
export function readDocument(bytes: Buffer, rootEnd: (at: number) => number): void {
  checkText(bytes);
  try {
    documentEnd(bytes, rootEnd);
  } catch (error) {
    throw documentError(bytes, error);
  }
}

/**
 * Checks a long body that is one JSON value, with pauses.
 * @returns the offset of the value
 * @throws ApiError as readDocument
 */
export function* checkDocumentInSteps(
  bytes: Buffer,
  ends: Map<number, number>,
): Generator<undefined, number> {
  checkText(bytes);
  try {
    const start = skipSpace(bytes, 0);
    const end = yield* valueEndInSteps(bytes, start, ends);
    documentEnd(bytes, () => end);
    return start;
  } catch (error) {
    throw documentError(bytes, error);
  }
}

function checkText(bytes: Buffer): void {
  if (bytes.length === 0) throw invalidJson('The body is empty: it must be a JSON object.');
  if (!isUtf8(bytes)) throw invalidJson(`The body is not valid UTF-8 at byte ${utf8ErrorOffset(bytes)}.`);
}

function documentError(bytes: Buffer, error: unknown): unknown {
  if (!(error instanceof JsonError)) return error;
  return invalidJson(`The body is not valid JSON: ${problemAt(bytes, error.offset)}.`);
}

/** Decoding replaces what is not valid: the first byte that changes. */
function utf8ErrorOffset(bytes: Buffer): number {
  const replaced = Buffer.from(bytes.toString('utf8'));
  // By halves: comparing byte by byte would take long for a large body.
  let [equal, different] = [0, bytes.length];
  while (different - equal > 1) {
    const middle = (equal + different) >>> 1;
    if (bytes.subarray(equal, middle).equals(replaced.subarray(equal, middle))) equal = middle;
    else different = middle;
  }
  return equal;
}

/** @param offset of the first byte that cannot be JSON; characters are counted from 0, as Python's json does */
function problemAt(bytes: Buffer, offset: number): string {
  const charactersBefore = characterCount(bytes, offset);
  if (offset === bytes.length) return `it is truncated after ${charactersBefore} characters`;
  const after = bytes.toString('utf8', offset, offset + LONGEST_WORD);
  if (offset === 0 && after.startsWith(BYTE_ORDER_MARK))
    return 'it begins with a byte order mark; send UTF-8 without one';
  const before = bytes.toString('latin1', Math.max(0, offset - LONGEST_WORD), offset); // words are ASCII
  const wordStart = /\\?-?\w*$/.exec(before)?.[0] ?? '';
  const word = wordStart + (/^\w+/.exec(after)?.[0] ?? '"');
  const advice = FOREIGN_WORDS.get(word.replace('-', ''));
  if (advice !== undefined)
    return `${word} at character ${charactersBefore - wordStart.length} is not a JSON value; ${advice}`;
  return `unexpected ${show(String.fromCodePoint(after.codePointAt(0) ?? 0))} at character ${charactersBefore}`;
}

/** The UTF-16 code units of valid UTF-8 before an offset; decoding megabytes would take long. */
function characterCount(bytes: Buffer, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at++) {
    const byte = bytes[at];
    if (byte < 0x80 || byte >= 0xc0) count += byte < 0xf0 ? 1 : 2;
  }
  return count;
}

function invalidJson(message: string): ApiError {
  return new ApiError({ code: 'invalid_json', message });
}
