import { expect } from 'vitest';

/**
 * Numbers of 6 decimals show the last bits of onnxruntime's results, which differ between runs of one row and of many:
 * two units of the last decimal are allowed.
 */
const TOLERANCE = 2.1e-6;

interface Prediction {
  baseline: number;
  contributions: { readonly feature: string; contribution: number }[];
}

/** Expects an answer to be another byte for byte, but for the last decimal of baselines and contributions. */
export function expectSameAnswer(actual: string, expected: string): void {
  if (actual === expected || !expected.includes('"baseline"')) {
    expect(actual).toBe(expected);
    return;
  }
  const [answer, plain] = [JSON.parse(actual) as object, JSON.parse(expected) as object];
  const [ours, theirs] = [predictionsOf(answer), predictionsOf(plain)];
  expect(ours).toHaveLength(theirs.length);
  for (const [i, prediction] of ours.entries()) {
    const other = theirs[i];
    expect(Math.abs(prediction.baseline - other.baseline)).toBeLessThan(TOLERANCE);
    const sizes = prediction.contributions.map(({ contribution }) => Math.abs(contribution));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    for (const own of prediction.contributions) {
      const { contribution } = other.contributions.find(({ feature }) => feature === own.feature)!;
      expect(Math.abs(own.contribution - contribution)).toBeLessThan(TOLERANCE);
      own.contribution = contribution;
    }
    prediction.baseline = other.baseline;
    const order = other.contributions.map(({ feature }) => feature);
    prediction.contributions.sort((a, b) => order.indexOf(a.feature) - order.indexOf(b.feature));
  }
  expect(JSON.stringify(answer)).toBe(expected);
}

function predictionsOf(answer: object): Prediction[] {
  const { predictions, comparison } = answer as {
    predictions?: Prediction[];
    comparison?: Record<string, { predictions: Prediction[] }>;
  };
  return predictions ?? Object.values(comparison!).flatMap((method) => method.predictions);
}
