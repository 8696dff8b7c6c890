import { isUtf8 } from 'node:buffer';
import { ApiError } from '../errors/api-error.js';
import { show } from '../errors/shown-value.js';
import { documentEnd, JsonError, OPEN_ARRAY, OPEN_OBJECT } from '../json/json-grammar.js';
import { issueError } from './request-errors.js';

/** Values that Python and other languages write and JSON does not have, and what to write instead. */
const FOREIGN_WORDS = new Map([
  ...['NaN', 'nan', 'Infinity', 'inf', 'None', 'undefined'].map(
    (word) => [word, 'use null or leave the entry out'] as const,
  ),
  ['True', 'use true'],
  ['False', 'use false'],
]);

const LONGEST_WORD = 20;

/**
 * Most arrays and objects of a body. JSON.parse takes some hundred nanoseconds and bytes for each, so that a body of 8 MiB
 * could keep a thread for a second; the positions of a plan of that size are fewer.
 */
const MAX_CONTAINERS = 1_000_000;

/**
 * Parses a body that is one JSON value.
 * @throws ApiError invalid_json; invalid_request for a body with too many arrays and objects
 */
export function parseDocument(bytes: Buffer): unknown {
  if (bytes.length === 0) throw invalidJson('The body is empty: it must be a JSON object.');
  if (!isUtf8(bytes)) throw invalidJson(`The body is not valid UTF-8 at byte ${utf8ErrorPosition(bytes)}.`);
  if (bytes.length > MAX_CONTAINERS && containersIn(bytes) > MAX_CONTAINERS)
    throw issueError('', `the body must have at most ${MAX_CONTAINERS} arrays and objects`);
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw documentError(bytes, error);
  }
}

/** Counts the brackets that open an array or object; those in texts count, too. */
function containersIn(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) count++;
  return count;
}

/** The error of a body that is not JSON. The messages of JSON.parse depend on Node and often lack the position. */
function documentError(bytes: Buffer, error: unknown): unknown {
  try {
    documentEnd(bytes);
    return error;
  } catch (found) {
    if (!(found instanceof JsonError)) return found;
    return invalidJson(`The body is not valid JSON: ${problemAt(bytes, found.offset)}.`);
  }
}

/** The position, from 1, of the first byte that is not valid: the first that decoding replaces. */
function utf8ErrorPosition(bytes: Buffer): number {
  const replaced = Buffer.from(bytes.toString());
  let at = 0;
  while (bytes[at] === replaced[at]) at++;
  return at + 1;
}

/** @param offset of the first byte that cannot be JSON; the message counts UTF-16 code units from 1 */
function problemAt(bytes: Buffer, offset: number): string {
  const charactersBefore = bytes.toString('utf8', 0, offset).length;
  if (offset === bytes.length) return `it is truncated after character ${charactersBefore}`;
  const character = charactersBefore + 1;
  const after = bytes.toString('utf8', offset, offset + LONGEST_WORD);
  // Editors and PowerShell on Windows put this mark before UTF-8. It is invisible in a message.
  if (offset === 0 && after.startsWith('\ufeff'))
    return 'it begins with a byte order mark; send UTF-8 without one';
  const before = bytes.toString('latin1', Math.max(0, offset - LONGEST_WORD), offset); // words are ASCII
  const wordStart = /\\?-?\w*$/.exec(before)?.[0] ?? '';
  const word = wordStart + (/^\w+/.exec(after)?.[0] ?? '"');
  const advice = FOREIGN_WORDS.get(word.replace('-', ''));
  if (advice !== undefined)
    return `${word} at character ${character - wordStart.length} is not a JSON value; ${advice}`;
  return `unexpected ${show(String.fromCodePoint(after.codePointAt(0) ?? 0))} at character ${character}`;
}

function invalidJson(message: string): ApiError {
  return new ApiError({ code: 'invalid_json', message });
}
