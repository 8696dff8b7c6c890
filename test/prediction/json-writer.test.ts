import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fragment, JsonWriter } from '../../src/prediction/json-writer.js';

const piece = fc.oneof(
  fc.record({ prepared: fc.string({ unit: 'binary', maxLength: 300 }) }),
  fc.record({ ascii: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String) }),
);

describe('the JSON writer', () => {
  test('holds what was written, byte for byte, however often it had to grow', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.nat(64), (pieces, capacity) => {
        const writer = new JsonWriter(capacity);
        const expected: Buffer[] = [];
        for (const written of pieces) {
          const bytes = Buffer.from('ascii' in written ? written.ascii : written.prepared);
          expected.push(bytes);
          writer.reserve(bytes.length);
          if ('ascii' in written) writer.writeAscii(written.ascii);
          else writer.write(fragment(written.prepared));
        }
        const whole = Buffer.concat(expected);
        expect(writer.length).toBe(whole.length);
        expect(Buffer.from(writer.take()).equals(whole)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('starts anew after a take, and what was taken stays as it was', () => {
    const writer = new JsonWriter(8);
    writer.reserve(8);
    writer.writeAscii('[1,2,3],');
    const first = writer.take();
    expect(writer.length).toBe(0);
    writer.reserve(4);
    writer.write(fragment('null'));
    expect(Buffer.from(writer.take()).toString()).toBe('null');
    expect(Buffer.from(first).toString()).toBe('[1,2,3],');
    expect(first.byteLength).toBe(first.buffer.byteLength);
  });
});
