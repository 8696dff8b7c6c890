import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '../../src/formats/errors/api-error.js';
import { documentEnd, type JsonError } from '../../src/formats/json/json-grammar.js';
import { parseDocument } from '../../src/formats/request/read-document.js';
import { forAll } from '../support/for-all.js';
import { damagedText, jsonText } from './support/json-texts.js';

/** Bytes, and the text that they are: half of a surrogate pair alone has no bytes. */
function encode(text: string) {
  const bytes = Buffer.from(text);
  return { bytes, text: bytes.toString() };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Offset of the first byte that cannot be JSON, or undefined. */
function errorOffset(bytes: Buffer): number | undefined {
  try {
    documentEnd(bytes);
    return undefined;
  } catch (error) {
    return (error as JsonError).offset;
  }
}

test('the grammar accepts exactly what JSON.parse accepts', () => {
  let accepted = 0;
  let refused = 0;
  forAll({ short: 2000, long: 60_000 }, [fc.oneof(jsonText, damagedText, damagedText)], (json) => {
    const { bytes, text } = encode(json);
    const errorAt = errorOffset(bytes);
    expect(errorAt === undefined).toBe(isJson(text));
    if (errorAt === undefined) accepted++;
    else refused++;
  });
  expect(accepted).toBeGreaterThan(400);
  expect(refused).toBeGreaterThan(400);
});

test('an error is at the first byte that cannot be JSON: all before it can be', () => {
  forAll({ short: 1000, long: 30_000 }, [damagedText], (json) => {
    const { bytes } = encode(json);
    const errorAt = errorOffset(bytes);
    if (errorAt === undefined) return;
    expect([undefined, errorAt]).toContain(errorOffset(bytes.subarray(0, errorAt)));
  });
});

test.each([
  ['', 0],
  [' ', 1],
  ['{"a":1', 6],
  ['{"a":1,}', 7],
  ['{"a" 1}', 5],
  ['{a:1}', 1],
  ['[1 2]', 3],
  ['[1}', 2],
  ['01', 1],
  ['1.', 2],
  ['-x', 1],
  ['1e+', 3],
  ['nul', 3],
  ['nulL', 3],
  ['truee', 4],
  ['"\\x"', 2],
  ['"\\u00g0"', 5],
  ['"a\nb"', 2],
  ['"abc', 4],
  ['{}{}', 2],
  ['\u00a01', 0],
])('%j is wrong at byte %i', (text, at) => {
  expect(errorOffset(Buffer.from(text))).toBe(at);
});

/** The message for a body that is no JSON value. */
function messageFor(body: Buffer | string): string {
  const bytes = Buffer.from(body);
  try {
    parseDocument(bytes);
  } catch (error) {
    if (error instanceof ApiError && error.error.code === 'invalid_json') return error.message;
    throw error;
  }
  throw new Error('The body is JSON.');
}

test.each([
  ['{"sites": [{"a": NaN}]}', 'NaN at character 18 is not a JSON value; use null or leave the entry out'],
  ['{"lat":-Infinity}', '-Infinity at character 8 is not a JSON value; use null or leave the entry out'],
  ['{"é💥":Infinity}', 'Infinity at character 8 is not a JSON value; use null or leave the entry out'],
  ['[nan]', 'nan at character 2 is not a JSON value; use null or leave the entry out'],
  ['{"a": None}', 'None at character 7 is not a JSON value; use null or leave the entry out'],
  ['[undefined]', 'undefined at character 2 is not a JSON value; use null or leave the entry out'],
  ['{"a": True}', 'True at character 7 is not a JSON value; use true'],
  ['[False]', 'False at character 2 is not a JSON value; use false'],
  ['{"é💥":1,}', 'unexpected "}" at character 10'],
  ["{'latitude':1}", 'unexpected "\'" at character 2'],
  ['["\\None"]', 'unexpected "N" at character 4'],
  ['["NaN\n"]', 'unexpected "\\n" at character 6'],
  ['[constructor]', 'unexpected "c" at character 2'],
  ['{"a":1} 💥', 'unexpected "💥" at character 9'],
  ['\ufeff{"a":1}', 'it begins with a byte order mark; send UTF-8 without one'],
  ['{"latitude":1', 'it is truncated after character 13'],
  ['["NaN', 'it is truncated after character 5'],
])('the message for %s says what is wrong and at which character', (body, problem) => {
  expect(messageFor(body)).toBe(`The body is not valid JSON: ${problem}.`);
});

test('the message for a body that is not UTF-8 says at which byte', () => {
  const body = Buffer.concat([Buffer.from('{"é\ufffd":"'), Buffer.of(0xff), Buffer.from('"}')]);
  expect(messageFor(body)).toBe('The body is not valid UTF-8 at byte 11.');
  expect(messageFor(Buffer.from('"é"').subarray(0, 2))).toBe('The body is not valid UTF-8 at byte 2.');
});

test('the message for a body without bytes says that it is empty', () => {
  expect(messageFor('')).toBe('The body is empty: it must be a JSON object.');
});

test('values nested half a million deep are read', () => {
  const depth = 500_000;
  expect(errorOffset(Buffer.from('['.repeat(depth) + ']'.repeat(depth)))).toBeUndefined();
  expect(errorOffset(Buffer.from('{"a":'.repeat(depth)))).toBe(5 * depth);
});
