import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonWriter } from '../../src/prediction/encoding/json-writer.js';
import { tenThousandths, writeFraction } from '../../src/prediction/encoding/ten-thousandths.js';

function fractionJson(k: number): string {
  const memory = new Uint8Array(16);
  const writer = new JsonWriter();
  writer.begin(memory);
  writeFraction(writer, k);
  return Buffer.from(memory.subarray(0, writer.length)).toString();
}

describe('ten-thousandths', () => {
  test('are written as JSON.stringify writes the fraction, each of the 10,001', () => {
    for (let k = 0; k <= 10_000; k++) expect(fractionJson(k)).toBe(JSON.stringify(k / 10_000));
  });

  test('survive the way through JSON and back, each of the 10,001', () => {
    for (let k = 0; k <= 10_000; k++) expect(tenThousandths(JSON.parse(fractionJson(k)))).toBe(k);
  });

  test('lie within half a ten-thousandth of the probability, and 0 and 1 are exact', () => {
    expect([tenThousandths(0), tenThousandths(1)]).toEqual([0, 10_000]);
    fc.assert(
      fc.property(fc.float({ min: 0, max: 1, noNaN: true }), (probability) => {
        const rounded = tenThousandths(probability);
        expect(Number.isInteger(rounded)).toBe(true);
        expect(Math.abs(rounded / 10_000 - probability)).toBeLessThanOrEqual(0.00005 + 1e-15);
      }),
    );
  });

  test('stay from 0 to 10,000 whatever a model gives', () => {
    expect([-1e9, -0.0001, 1.0001, 1e9].map(tenThousandths)).toEqual([0, 0, 10_000, 10_000]);
  });

  test('never turn the order of two probabilities around', () => {
    const probability = fc.float({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(probability, probability, (a, b) => {
        expect(tenThousandths(Math.max(a, b))).toBeGreaterThanOrEqual(tenThousandths(Math.min(a, b)));
      }),
    );
  });
});
