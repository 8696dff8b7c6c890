import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fragment, JsonWriter } from '../../src/prediction/json-writer.js';

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

describe('the JSON writer', () => {
  test('holds what was written, byte for byte, however often it had to grow', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.nat(64), (pieces, capacity) => {
        const writer = new JsonWriter(capacity);
        const expected: Buffer[] = [];
        for (const written of pieces) {
          const bytes = Buffer.from('number' in written ? JSON.stringify(written.number) : written.prepared);
          expected.push(bytes);
          writer.reserve(bytes.length);
          if ('number' in written) writer.writeNumber(written.number);
          else writer.write(fragment(written.prepared));
        }
        const whole = Buffer.concat(expected);
        expect(writer.length).toBe(whole.length);
        expect(Buffer.from(writer.take()).equals(whole)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('writes an integer over a power of ten as JSON.stringify writes the quotient', () => {
    fc.assert(
      fc.property(fc.integer({ min: -18_000_000, max: 18_000_000 }), fc.nat(6), (integer, decimals) => {
        const writer = new JsonWriter(64);
        writer.writeDecimal(integer, decimals);
        expect(Buffer.from(writer.take()).toString()).toBe(JSON.stringify(integer / 10 ** decimals));
      }),
      { numRuns: 5000 },
    );
  });

  test('starts anew after a take, and what was taken stays as it was', () => {
    const writer = new JsonWriter(8);
    writer.reserve(8);
    writer.write(fragment('[1,2,3],'));
    const first = writer.take();
    expect(writer.length).toBe(0);
    writer.reserve(4);
    writer.write(fragment('null'));
    expect(Buffer.from(writer.take()).toString()).toBe('null');
    expect(Buffer.from(first).toString()).toBe('[1,2,3],');
    expect(first.byteLength).toBe(first.buffer.byteLength);
  });
});
