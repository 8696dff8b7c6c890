import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fragment, JsonWriter, NUMBER_BYTES, STEP_BYTES } from '../../src/formats/json/json-writer.js';
import { forAll } from '../support/for-all.js';

/** Numbers of a few decimals, as coordinates are. */
function decimal(decimals: number): fc.Arbitrary<number> {
  return fc.maxSafeInteger().map((integer) => Number(((integer % 360e9) / 1e9).toFixed(decimals)));
}

const piece = fc.oneof(
  fc.record({ prepared: fc.string({ unit: 'binary', maxLength: 300 }) }),
  fc.record({
    number: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), decimal(9), decimal(6), decimal(2)),
  }),
);

function writerOf(bytes: number): { writer: JsonWriter; written: () => Buffer } {
  const memory = new Uint8Array(bytes + STEP_BYTES);
  const writer = new JsonWriter();
  writer.begin(memory);
  return { writer, written: () => Buffer.from(memory.subarray(0, writer.length)) };
}

test('the JSON writer writes fragments and numbers exactly as JSON.stringify does', () => {
  forAll(500, [fc.array(piece, { maxLength: 60 })], (pieces) => {
    const { writer, written } = writerOf(60 * 1200);
    const expected: Buffer[] = [];
    for (const one of pieces) {
      const bytes = Buffer.from('number' in one ? JSON.stringify(one.number) : one.prepared);
      expected.push(bytes);
      if ('number' in one) writer.writeNumber(one.number);
      else writer.write(fragment(one.prepared));
    }
    const whole = Buffer.concat(expected);
    expect(writer.length).toBe(whole.length);
    expect(written().equals(whole)).toBe(true);
  });
});

test('the JSON writer writes an integer over a power of ten as JSON.stringify writes the quotient', () => {
  forAll(2000, [fc.integer({ min: -18_000_000, max: 18_000_000 }), fc.nat(6)], (integer, decimals) => {
    const { writer, written } = writerOf(NUMBER_BYTES);
    writer.writeDecimal(integer, decimals);
    expect(written().toString()).toBe(JSON.stringify(integer / 10 ** decimals));
  });
});

test('the JSON writer copies the bytes written since a position as words and writes them again', () => {
  forAll(100, [fc.string({ maxLength: 50 }), fc.string({ maxLength: 50 })], (before, after) => {
    const { writer, written } = writerOf(800);
    writer.write(fragment(before));
    const start = writer.length;
    writer.write(fragment(after));
    const length = writer.length - start;
    const words = new Float64Array(40);
    writer.readWords(start, words, 3);
    writer.writeWords(words, 3, length);
    expect(written().toString()).toBe(before + after + after);
  });
});

test('the JSON writer starts at the beginning of memory passed to begin and leaves the memory before as it was', () => {
  const { writer, written } = writerOf(64);
  writer.write(fragment('[1,2,3],'));
  const first = written();
  const memory = new Uint8Array(64);
  writer.begin(memory);
  expect(writer.length).toBe(0);
  writer.write(fragment('null'));
  expect(Buffer.from(memory.subarray(0, 4)).toString()).toBe('null');
  expect(first.toString()).toBe('[1,2,3],');
});
