import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonError } from '../../src/http/request/json-grammar.js';
import { type Kept, readJson } from '../../src/http/request/json-reader.js';
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

describe('findJsonError', () => {
  it('accepts exactly what JSON.parse accepts', () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(fc.oneof(jsonText, damagedText, damagedText), (json) => {
        const { bytes, text } = encode(json);
        const errorAt = findJsonError(bytes);
        expect(errorAt === undefined).toBe(isJson(text));
        if (errorAt === undefined) accepted++;
        else refused++;
      }),
      { numRuns: 12_000 },
    );
    expect(accepted).toBeGreaterThan(2000);
    expect(refused).toBeGreaterThan(2000);
  });

  it('finds the first byte that cannot be JSON: all before it can be', () => {
    fc.assert(
      fc.property(damagedText, (json) => {
        const { bytes } = encode(json);
        const errorAt = findJsonError(bytes);
        if (errorAt === undefined) return;
        expect([undefined, errorAt]).toContain(findJsonError(bytes.subarray(0, errorAt)));
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
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
    expect(findJsonError(Buffer.from(text))).toBe(at);
  });
});

/** What a reader that keeps this is to make of what JSON.parse makes. */
function keptOf(value: unknown, { members = new Map(), elements, others = 0 }: Kept): unknown {
  if (Array.isArray(value)) {
    if (elements === undefined) return new Array(value.length);
    const firstOther = value.findIndex((element) => typeof element !== 'number');
    const end = firstOther === -1 ? value.length : firstOther + others;
    return value.map((element, index) => (index < end ? keptOf(element, elements) : null));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => members.has(name))
      .map(([name, member]) => [name, keptOf(member, members.get(name)!)]),
  );
}

const field = fc.constantFrom<Kept>({}, { elements: {}, others: 1 }, { elements: {}, others: 2 });
const names = (kept: fc.Arbitrary<Kept>): fc.Arbitrary<Kept> =>
  fc
    .dictionary(fc.constantFrom('latitude', 'horizons', 'requests', '__proto__'), kept, {
      noNullPrototype: true,
    })
    .map((members) => ({ members: new Map(Object.entries(members)) }));
const kept = names(
  fc.oneof(
    field,
    names(field).map((elements) => ({ elements, others: 3 })),
  ),
);

describe('readJson', () => {
  it('reads what it keeps to the value that JSON.parse makes of it', () => {
    let nested = 0;
    fc.assert(
      fc.property(jsonText, kept, (json, wanted) => {
        const { bytes, text } = encode(json);
        const value = keptOf(JSON.parse(text), wanted);
        expect(readJson(bytes, wanted)).toStrictEqual(value);
        if (Object.values(Object(value) as object).some((member) => typeof member === 'object')) nested++;
      }),
      { numRuns: 12_000 },
    );
    expect(nested).toBeGreaterThan(500);
  });
});
