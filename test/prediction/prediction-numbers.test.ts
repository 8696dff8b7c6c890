import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HORIZONS, RISK_FACTOR_COUNT } from '../../src/prediction/dimensions.js';
import { intervalOf } from '../../src/prediction/intervals.js';
import {
  factorCode,
  HORIZON_NUMBERS,
  magnitudeOf,
  PREDICTION_NUMBERS,
  PredictionReporter,
  tenThousandths,
} from '../../src/prediction/model/prediction-numbers.js';
import { forAll } from '../support/for-all.js';

/** Contributions in probability; many are equal once they are rounded, some to the last bit. */
const contribution = fc.oneof(
  fc.float({ min: -1, max: 1, noNaN: true }),
  fc.integer({ min: -6, max: 6 }).map((k) => Math.fround(k / 10_000)),
  fc.float({ min: Math.fround(-0.0003), max: Math.fround(0.0003), noNaN: true }),
);

/** Outputs of 1 to 4 rows with 3 to 24 features, of which at least 3 may be risk factors. */
const outputs = fc
  .record({ width: fc.integer({ min: 3, max: 24 }), rows: fc.integer({ min: 1, max: 4 }) })
  .chain(({ width, rows }) => {
    const list = (item: fc.Arbitrary<number>, length: number) =>
      fc.array(item, { minLength: length, maxLength: length }).map((values) => Float32Array.from(values));
    const probability = fc.float({ min: 0, max: 1, noNaN: true });
    return fc.record({
      width: fc.constant(width),
      candidates: fc.subarray([...Array(width).keys()], { minLength: RISK_FACTOR_COUNT }),
      survival: list(probability, rows * HORIZONS.length).map((values) => values.sort().reverse()),
      contributions: list(contribution, rows * HORIZONS.length * width),
    });
  });

function reporterOf(width: number, candidates: readonly number[]): PredictionReporter {
  const features = Array.from({ length: width }, (_, feature) => ({
    name: `feature ${feature}`,
    unit: '',
    minimum: 0,
    maximum: 1,
    training: { p1: 0, p99: 1 },
    error: { at_point: 0, per_km: 0 },
    label: `label ${feature}`,
    risk_factor: candidates.includes(feature),
  }));
  return new PredictionReporter({ features });
}

/** Reports every row of a model's outputs. */
function report(reporter: PredictionReporter, survival: Float32Array, contributions: Float32Array): number[] {
  const rows = survival.length / HORIZONS.length;
  const numbers = new Uint16Array(rows * PREDICTION_NUMBERS);
  for (let row = 0; row < rows; row++) {
    reporter.report({ survival, baseline: survival, contributions }, row, numbers, row * PREDICTION_NUMBERS);
  }
  return [...numbers];
}

test('magnitudes beyond 1 are reported as they are, up to what a number can hold', () => {
  expect([1.008, -1.00806, 6.5535, 7, -1e9].map(magnitudeOf)).toEqual([
    10_080, 10_081, 65_535, 65_535, 65_535,
  ]);
});

test('a prediction reports the rounded survival and the candidates of largest rounded magnitude, ties in feature order', () => {
  forAll(2000, [outputs], ({ width, candidates, survival, contributions }) => {
    const expected = Array.from(survival, (probability, output) => {
      const ofOutput = contributions.subarray(output * width, (output + 1) * width);
      // The sort is stable.
      const factors = candidates
        .map((feature) => ({
          code: factorCode(feature, ofOutput[feature] < 0),
          magnitude: Math.round(Math.abs(ofOutput[feature]) * 10_000),
        }))
        .sort((a, b) => b.magnitude - a.magnitude)
        .slice(0, RISK_FACTOR_COUNT);
      return [tenThousandths(probability), ...factors.flatMap(({ code, magnitude }) => [code, magnitude])];
    });
    expect(report(reporterOf(width, candidates), survival, contributions)).toEqual(expected.flat());
  });
});

test('three different risk factors are reported even if every candidate contributes nothing', () => {
  const contributions = Float32Array.from({ length: 6 * HORIZONS.length }, (_, i) => (i % 2 === 0 ? 0.9 : 0));
  const numbers = report(reporterOf(6, [1, 3, 5]), new Float32Array(HORIZONS.length), contributions);
  for (let h = 0; h < HORIZONS.length; h++) {
    const codes = [1, 3, 5].map((feature) => factorCode(feature, false));
    expect(numbers.slice(h * HORIZON_NUMBERS, (h + 1) * HORIZON_NUMBERS)).toEqual([
      0,
      ...codes.flatMap((code) => [code, 0]),
    ]);
  }
});

test.each([
  [1.1, 0.6, 0.4],
  [0.8, 0.6, -0.1],
  [0.8, 0.9, 0.4],
  [0.8, Number.NaN, 0.4],
  [Number.POSITIVE_INFINITY, 0.6, 0.4],
])('survival of %d, %d, %d from a model is an error', (...survival) => {
  const contributions = new Float32Array(3 * HORIZONS.length);
  const reportAll = () => report(reporterOf(3, [0, 1, 2]), Float32Array.from(survival), contributions);
  expect(reportAll).toThrow('the model gave survival ');
});

test('a probability is rounded to within half a ten-thousandth, and each of the 10,001 ten-thousandths to itself', () => {
  const all = Array.from({ length: 10_001 }, (_, k) => k);
  expect(all.map((k) => tenThousandths(k / 10_000))).toEqual(all);
  forAll(100, [fc.float({ min: 0, max: 1, noNaN: true })], (probability) => {
    const rounded = tenThousandths(probability);
    expect(Number.isInteger(rounded)).toBe(true);
    expect(Math.abs(rounded / 10_000 - probability)).toBeLessThanOrEqual(0.00005 + 1e-15);
  });
});

test('a probability outside 0 to 1 is reported as 0 or 1', () => {
  expect([-1e9, -0.0001, 1.0001, 1e9].map(tenThousandths)).toEqual([0, 0, 10_000, 10_000]);
});

test.each(['survival', 'contributions'] as const)(
  'a %s that is no number is an error, and never reported as 0',
  (output) => {
    const reporter = reporterOf(4, [0, 1, 2, 3]);
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const outputs = { survival: new Float32Array(3), contributions: new Float32Array(12) };
      expect(report(reporter, outputs.survival, outputs.contributions)[0]).toBe(0);
      outputs[output][2] = value;
      expect(() => report(reporter, outputs.survival, outputs.contributions)).toThrow(`the model gave `);
    }
    // A graph that gives fewer rows than it was asked for.
    expect(() => report(reporter, new Float32Array(3), new Float32Array(4))).toThrow('sum to NaN');
  },
);

test('an interval with a draw that is not a number is an error', () => {
  const values = Float32Array.from({ length: 3 * 30 }, (_, i) => i / 100);
  const draws = { values, rows: [0], positions: Int32Array.of(0) };
  intervalOf(0.8, 0, 0, 2, draws);
  values[70] = Number.NaN;
  expect(() => intervalOf(0.8, 0, 0, 2, draws)).toThrow('to NaN, which are not probabilities');
});
