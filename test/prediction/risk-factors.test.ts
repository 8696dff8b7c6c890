import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RISK_FACTOR_COUNT, RiskFactors } from '../../src/prediction/model/risk-factors.js';

/** Contributions of a prediction in probability; many are equal once they are rounded, some to the last bit. */
const contribution = fc.oneof(
  fc.float({ min: -1, max: 1, noNaN: true }),
  fc.integer({ min: -6, max: 6 }).map((k) => Math.fround(k / 10_000)),
  fc.float({ min: Math.fround(-0.0003), max: Math.fround(0.0003), noNaN: true }),
);

/** The features that may be factors, by reported magnitude; the sort is stable, so ties keep the features' order. */
function sortedFactors(contributions: Float32Array, candidates: readonly number[]) {
  return candidates
    .map((feature) => ({ feature, magnitude: Math.round(Math.abs(contributions[feature]) * 10_000) }))
    .sort((a, b) => b.magnitude - a.magnitude)
    .slice(0, RISK_FACTOR_COUNT);
}

/** Contributions of 3 to 24 features, and at least 3 of them that may be factors. */
const predictions = fc.array(contribution, { minLength: 3, maxLength: 24 }).chain((contributions) =>
  fc.record({
    contributions: fc.constant(contributions),
    candidates: fc.subarray([...contributions.keys()], { minLength: 3 }),
  }),
);

describe('risk factors', () => {
  test('are the candidates of largest reported magnitude, ties in feature order, as a sort finds them', () => {
    fc.assert(
      fc.property(predictions, fc.nat(50), ({ contributions, candidates }, offset) => {
        const values = Float32Array.from([...new Array(offset).fill(1), ...contributions]);
        const ranked = new RiskFactors(candidates);
        ranked.rank(values, offset);
        const expected = sortedFactors(values.subarray(offset), candidates);
        expect([...ranked.features]).toEqual(expected.map(({ feature }) => feature));
        expect([...ranked.magnitudes]).toEqual(expected.map(({ magnitude }) => magnitude));
      }),
      { numRuns: 5000 },
    );
  });

  test('are three different features, none of them one that may not be a factor', () => {
    const ranked = new RiskFactors([1, 3, 4]);
    ranked.rank(Float32Array.of(0.9, 0, 0.8, 0, 0, -0.7), 0);
    expect([...ranked.features]).toEqual([1, 3, 4]);
    expect([...ranked.magnitudes]).toEqual([0, 0, 0]);
  });

  test('of the prediction before do not stay', () => {
    const ranked = new RiskFactors([0, 1, 2, 3]);
    ranked.rank(Float32Array.of(0.9, 0.8, 0.7, 0.6), 0);
    ranked.rank(Float32Array.of(0, 0.01, -0.03, 0.02), 0);
    expect([...ranked.features]).toEqual([2, 3, 1]);
    expect([...ranked.magnitudes]).toEqual([300, 200, 100]);
  });
});
